// Part of gst-capture. Apache License 2.0, see LICENSE.

import { addWords } from './words.js'

// The words of the clips, which are loaded with their list.
addWords({
  en: {
    'clips.record': 'Record', 'clips.stop': 'Stop', 'clips.trigger': 'Record a clip now', 'clips.more': 'Earlier clips', 'clips.all': 'Clips in the library',
    'clips.none': 'There are no clips yet.', 'clips.recording': 'is being recorded', 'clips.repaired': 'repaired after a crash',
    'clips.sound': 'with sound', 'clips.download': 'Download the clip', 'clips.remove': 'Delete the clip',
    'clips.removeQuestion': 'Delete the clip of {title}?',
    'films.more': 'Earlier films', 'films.none': 'The first film is complete at midnight.', 'films.pictures': '{count} pictures',
    'films.lacks': '{count} missing', 'films.download': 'Download the film', 'films.remove': 'Delete the film',
    'films.removeQuestion': 'Delete the film of {title}? Its pictures stay.', 'films.noneMade': 'No film has been made yet.',
    'films.length': 'Length in seconds', 'films.deflicker': 'Remove flicker', 'films.time': 'Show the time', 'films.make': 'Make a film',
    'films.making': 'A film is being made', 'films.cancel': 'Cancel the film',
  },
  de: {
    'clips.record': 'Aufnehmen', 'clips.stop': 'Beenden', 'clips.trigger': 'Jetzt einen Clip aufnehmen', 'clips.more': 'Frühere Clips', 'clips.all': 'Clips in der Bibliothek',
    'clips.none': 'Es gibt noch keine Clips.', 'clips.recording': 'wird aufgenommen', 'clips.repaired': 'nach einem Absturz repariert',
    'clips.sound': 'mit Ton', 'clips.download': 'Clip herunterladen', 'clips.remove': 'Clip löschen',
    'clips.removeQuestion': 'Den Clip vom {title} löschen?',
    'films.more': 'Frühere Filme', 'films.none': 'Der erste Film ist um Mitternacht fertig.', 'films.pictures': '{count} Bilder',
    'films.lacks': '{count} fehlen', 'films.download': 'Film herunterladen', 'films.remove': 'Film löschen',
    'films.removeQuestion': 'Den Film vom {title} löschen? Seine Bilder bleiben.', 'films.noneMade': 'Es wurde noch kein Film gemacht.',
    'films.length': 'Länge in Sekunden', 'films.deflicker': 'Flackern entfernen', 'films.time': 'Uhrzeit zeigen', 'films.make': 'Film machen',
    'films.making': 'Ein Film wird gemacht', 'films.cancel': 'Film abbrechen',
  },
})
