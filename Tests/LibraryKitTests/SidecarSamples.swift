// Part of gst-capture. Apache License 2.0, see LICENSE.

/// Sidecars as other programs write them, shortened.
enum SidecarSample {
    /// digiKam: several forms of tags, a title in two languages, comments, and a structure with another rating.
    static let digiKam = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!-- The picture of a gate. -->
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 4.4.0-Exiv2">
         <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
          <rdf:Description rdf:about=""
            xmlns:digiKam="http://www.digikam.org/ns/1.0/"
            xmlns:xmp="http://ns.adobe.com/xap/1.0/"
            xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/"
            xmlns:lr="http://ns.adobe.com/lightroom/1.0/"
            xmlns:dc="http://purl.org/dc/elements/1.1/"
           digiKam:ColorLabel="0"
           xmp:Rating="4"
           xmp:CreatorTool="digiKam-8.0.0">
           <digiKam:TagsList>
            <rdf:Seq>
             <rdf:li>Places/Berlin</rdf:li>
             <rdf:li>night</rdf:li>
            </rdf:Seq>
           </digiKam:TagsList>
           <xmpMM:DerivedFrom rdf:parseType="Resource">
            <xmp:Rating>1</xmp:Rating>
            <dc:subject><rdf:Bag><rdf:li>other</rdf:li></rdf:Bag></dc:subject>
           </xmpMM:DerivedFrom>
           <dc:subject>
            <rdf:Bag>
             <rdf:li>Berlin</rdf:li>
             <!-- the time -->
             <rdf:li xml:lang="en">night</rdf:li>
            </rdf:Bag>
           </dc:subject>
           <dc:title>
            <rdf:Alt>
             <rdf:li xml:lang="x-default">The gate</rdf:li>
             <rdf:li xml:lang="de">Das Tor</rdf:li>
            </rdf:Alt>
           </dc:title>
           <lr:hierarchicalSubject>
            <rdf:Bag>
             <rdf:li>Places|Berlin</rdf:li>
            </rdf:Bag>
           </lr:hierarchicalSubject>
          </rdf:Description>
         </rdf:RDF>
        </x:xmpmeta>
        <?xpacket end="w"?>
        """

    /// exiftool: single quotes, and an `rdf:Description` for each namespace.
    static let exiftool = """
        <?xpacket begin='\u{FEFF}' id='W5M0MpCehiHzreSzNTczkc9d'?>
        <x:xmpmeta xmlns:x='adobe:ns:meta/' x:xmptk='Image::ExifTool 12.57'>
        <rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>

         <rdf:Description rdf:about=''
          xmlns:dc='http://purl.org/dc/elements/1.1/'>
          <dc:subject>
           <rdf:Bag>
            <rdf:li>cat</rdf:li>
            <rdf:li>dög &amp; &lt;co&gt;</rdf:li>
           </rdf:Bag>
          </dc:subject>
          <dc:title>
           <rdf:Alt>
            <rdf:li xml:lang='x-default'>Hi &quot;you&quot;</rdf:li>
           </rdf:Alt>
          </dc:title>
         </rdf:Description>

         <rdf:Description rdf:about=''
          xmlns:xmp='http://ns.adobe.com/xap/1.0/'>
          <xmp:Label>Red</xmp:Label>
          <xmp:Rating>4</xmp:Rating>
         </rdf:Description>
        </rdf:RDF>
        </x:xmpmeta>
        <?xpacket end='w'?>
        """

    /// darktable: simple properties as attributes, and a history of edits.
    static let darktable = """
        <?xml version="1.0" encoding="UTF-8"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 4.4.0-Exiv2">
         <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
          <rdf:Description rdf:about=""
            xmlns:xmp="http://ns.adobe.com/xap/1.0/"
            xmlns:darktable="http://darktable.sf.net/"
           xmp:Rating="-1"
           darktable:xmp_version="5">
           <darktable:history>
            <rdf:Seq>
             <rdf:li
              darktable:num="0"
              darktable:operation="flip"
              darktable:params="ffffffff"/>
            </rdf:Seq>
           </darktable:history>
          </rdf:Description>
         </rdf:RDF>
        </x:xmpmeta>

        """

    /// Returns a sidecar on one line, with usual prefixes, of the content of `rdf:RDF`.
    static func packet(_ content: String) -> String {
        """
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/" \
        xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:digiKam="http://www.digikam.org/ns/1.0/">\(content)</rdf:RDF>
        """
    }
}
