// Part of gst-capture. Apache License 2.0, see LICENSE.

import { addWords } from './words.js'

// The words of the records. They are loaded with their view, or with the viewer of pictures.
addWords({
  en: {
    'records.kinds': 'Kinds of records', 'records.noKinds': 'The configuration of the service contains no kinds of records.',
    'records.all': 'All', 'records.new': 'New record', 'records.first': 'Create the first one', 'records.none': 'There is nothing here yet: {kind}.',
    'records.noMatch': 'No record matches this search.', 'records.open': 'Open: {name}', 'records.gone': 'This record does not exist, or was erased.',
    'records.edit': 'Edit', 'records.editTitle': 'Edit {name}', 'records.newTitle': 'New: {kind}', 'records.save': 'Save', 'records.saved': 'Saved',
    'records.removed': 'Record deleted', 'records.restored': 'Restored', 'records.inTrash': 'This record is in the trash.',
    'records.changed': 'Changed', 'records.openPicture': 'Show in full size: {side}',
    'records.history': 'History', 'records.present': 'now', 'records.unchanged': 'Nothing was changed.', 'records.emptied': 'empty',
    'records.restoreVersion': 'Restore this version', 'records.useSide': 'Use this picture',
    'records.leaveQuestion': 'Leave without saving? Your changes are lost.', 'records.discard': 'Discard the changes',
    'records.noPicture': 'No picture', 'records.take': 'Take', 'records.retake': 'Retake', 'records.fromPictures': 'From pictures', 'records.fromDevice': 'From this device',
    'records.adjust': 'Adjust', 'records.removePicture': 'Remove', 'records.codeRead': 'Read from the code: {side}',
    'records.noEdges': 'The edges of the card are not clear: the picture is cropped along the outline. Adjust it if needed.',
    'records.changedElsewhere': 'Another device has changed this record', 'records.mine': 'Yours', 'records.theirs': 'The other one',
    'records.choose': 'Choose what to keep. Parts that only one of you has changed are chosen already.',
    'records.deletedElsewhere': 'Another device has deleted this record. Restore it with your changes?', 'records.restoreAndSave': 'Restore and save',
    'records.sync.clean': 'Synchronized', 'records.sync.dirty': 'Waits to be synchronized', 'records.sync.conflict': 'Two devices have changed this record: choose what to keep',
    'records.sync.refused': 'The server does not accept this record',
    'records.post': 'Share on the timeline', 'records.postNow': 'Post', 'records.posted': 'Posted to the timeline',
  },
  de: {
    'records.kinds': 'Arten von Einträgen', 'records.noKinds': 'Die Konfiguration des Dienstes enthält keine Arten von Einträgen.',
    'records.all': 'Alle', 'records.new': 'Neuer Eintrag', 'records.first': 'Den ersten anlegen', 'records.none': 'Hier ist noch nichts: {kind}.',
    'records.noMatch': 'Kein Eintrag passt zu dieser Suche.', 'records.open': 'Öffnen: {name}', 'records.gone': 'Diesen Eintrag gibt es nicht, oder er wurde endgültig gelöscht.',
    'records.edit': 'Bearbeiten', 'records.editTitle': '{name} bearbeiten', 'records.newTitle': 'Neu: {kind}', 'records.save': 'Speichern', 'records.saved': 'Gespeichert',
    'records.removed': 'Eintrag gelöscht', 'records.restored': 'Wiederhergestellt', 'records.inTrash': 'Dieser Eintrag ist im Papierkorb.',
    'records.changed': 'Geändert', 'records.openPicture': 'In voller Größe zeigen: {side}',
    'records.history': 'Verlauf', 'records.present': 'jetzt', 'records.unchanged': 'Nichts wurde geändert.', 'records.emptied': 'leer',
    'records.restoreVersion': 'Diesen Stand wiederherstellen', 'records.useSide': 'Dieses Bild verwenden',
    'records.leaveQuestion': 'Ohne zu speichern verlassen? Ihre Änderungen gehen verloren.', 'records.discard': 'Änderungen verwerfen',
    'records.noPicture': 'Kein Bild', 'records.take': 'Aufnehmen', 'records.retake': 'Neu aufnehmen', 'records.fromPictures': 'Aus Bildern', 'records.fromDevice': 'Von diesem Gerät',
    'records.adjust': 'Anpassen', 'records.removePicture': 'Entfernen', 'records.codeRead': 'Aus dem Code gelesen: {side}',
    'records.noEdges': 'Die Kanten der Karte sind nicht eindeutig: Das Bild ist am Umriss ausgeschnitten. Passen Sie es bei Bedarf an.',
    'records.changedElsewhere': 'Ein anderes Gerät hat diesen Eintrag geändert', 'records.mine': 'Ihre Fassung', 'records.theirs': 'Die andere Fassung',
    'records.choose': 'Wählen Sie, was bleibt. Was nur einer von Ihnen geändert hat, ist schon gewählt.',
    'records.deletedElsewhere': 'Ein anderes Gerät hat diesen Eintrag gelöscht. Mit Ihren Änderungen wiederherstellen?', 'records.restoreAndSave': 'Wiederherstellen und speichern',
    'records.sync.clean': 'Abgeglichen', 'records.sync.dirty': 'Wartet auf den Abgleich', 'records.sync.conflict': 'Zwei Geräte haben diesen Eintrag geändert: Wählen Sie, was bleibt',
    'records.sync.refused': 'Der Server nimmt diesen Eintrag nicht an',
    'records.post': 'Auf der Zeitleiste teilen', 'records.postNow': 'Veröffentlichen', 'records.posted': 'Auf der Zeitleiste veröffentlicht',
  },
})
