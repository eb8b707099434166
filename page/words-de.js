// Part of gst-capture. Apache License 2.0, see LICENSE.

// All words of the page in German.
export default {
  language: 'Deutsch',

  live: 'Live', pictures: 'Bilder', sessions: 'Sitzungen', session: 'Sitzung',
  views: 'Ansichten', tools: 'Werkzeuge', camera: 'Kamera', view: 'Ansehen', skipToContent: 'Zum Inhalt springen',
  close: 'Schließen', cancel: 'Abbrechen', stop: 'Anhalten', pause: 'Pausieren', resume: 'Fortsetzen', done: 'Fertig',
  undo: 'Rückgängig', next: 'Weiter', back: 'Zurück', skip: 'Überspringen', switch: 'Andere Kamera',
  reset: 'Alles zurücksetzen', remove: 'Löschen', select: 'Auswählen', download: 'Herunterladen', details: 'Details',
  loading: 'Wird geladen …', fault: 'Störung', tryAgain: 'Erneut versuchen',
  'unit.s': 'Sekunden', 'unit.m': 'Minuten', 'unit.h': 'Stunden',

  'connection.fine': 'Verbunden', 'connection.fault': 'Störung', 'connection.lost': 'Keine Verbindung',
  'connection.stale': 'Seit {span} keine Verbindung. Die Seite zeigt den Stand von {time} und verbindet sich von selbst wieder.',
  'pair.title': 'Dieser Browser ist nicht gekoppelt', 'refused.title': 'Der Dienst antwortet nicht wie erwartet',
  'pair.text': 'Führen Sie diesen Befehl auf dem Gerät mit der Kamera aus, und öffnen Sie den Link oder scannen Sie den QR-Code:',

  'live.alt': 'Live-Bild der Kamera', 'live.last': 'Letztes Bild zeigen',
  'live.noCamera': 'Der Dienst hat keine Kamera.',
  'live.unstored': 'Aufgenommen. Diese Kamera speichert keine Bilder; hier lässt es sich sichern.',
  snap: 'Bild aufnehmen', delayed: 'Bild in {count} s', burst: 'Serienbild mit {count}', timer: 'Timer',
  'delay.seconds': 'Verzögerung in Sekunden', 'burst.pictures': 'Bilder eines Serienbilds',
  sound: 'Countdown', 'sound.off': 'still', 'sound.beep': 'piept', 'sound.speech': 'spricht',
  outline: 'Umriss', 'outline.none': 'Keiner', opacity: 'Deckkraft', dim: 'Außerhalb des Umrisses dunkel',
  mirror: 'Spiegeln', grid: 'Raster', ghost: 'Geist', 'ghost.use': 'Über dem Live-Bild zeigen', series: 'Bildfolge', controls: 'Regler',

  'controls.picture': 'Bild', 'controls.camera': 'Belichtung und Schärfe', 'controls.flash': 'Blitz',
  'controls.jpeg': 'JPEG', 'controls.sensor': 'Sensor', 'controls.other': 'Weitere',
  'controls.none': 'Diese Kamera hat keine Regler.', 'controls.readOnly': 'Ihre Rolle darf die Regler nicht ändern.',
  'lock.exposure': 'Belichtung sperren', 'lock.white-balance': 'Weißabgleich sperren', 'lock.focus': 'Schärfe sperren',
  unlock: 'Entsperren',

  'series.none': 'Diese Kamera hat keine Bildfolge.', 'series.new': 'Neue Bildfolge', 'series.interval': 'Ein Bild alle',
  'series.unit': 'Einheit', 'series.name': 'Name', 'series.align': 'Zu vollen Minuten und Stunden', 'series.start': 'Starten',
  'series.next': 'Nächstes Bild', 'series.in': 'in {span} ({time})', 'series.schedule': 'Zeitplan',
  'series.pictures': 'Bilder', 'series.counts': '{captured} aufgenommen, {late} verspätet, {missed} verpasst, {failed} fehlgeschlagen',
  'series.lag': 'Abstand zum Zeitpunkt', 'series.lagText': 'im Mittel {mean} ms, höchstens {largest} ms',
  'series.space': 'Freier Platz', 'series.spaceText': '{free}, genug für {span}', 'series.remove': 'Beenden und entfernen',
  'series.removeQuestion': 'Die Bildfolge {id} beenden? Ihre Bilder bleiben auf der Platte.',
  'series.error': 'Abstand zum Zeitpunkt', 'series.brightness': 'Helligkeit',
  'series.starting': 'startet', 'series.running': 'läuft', 'series.waiting': 'wartet', 'series.paused': 'pausiert',
  'series.stopped': 'angehalten', 'series.completed': 'fertig',

  'pictures.none': 'Noch sind keine Bilder gespeichert.', 'pictures.filter': 'Filter', 'pictures.all': 'Alle Bilder',
  'pictures.requested': 'Auf Anfrage, {id}',
  'pictures.camera': 'Kamera {id}', 'pictures.series': 'Bildfolge {id}', 'pictures.live': 'Live-Bild von {id}',
  'pictures.one': 'Bild vom {time}, {camera}', 'pictures.selected': '{count} ausgewählt',
  'pictures.removed': ['Bild gelöscht', '{count} Bilder gelöscht'],
  viewer: 'Bild', 'details.id': 'ID', 'details.offset': 'Abstand zum Zeitpunkt', 'details.brightness': 'Helligkeit',

  'sessions.none': 'Die Konfiguration des Dienstes enthält keine Sitzungen.', 'sessions.running': 'läuft',
  'sessions.begin': 'Öffnen', 'sessions.watch': 'Zusehen', runs: 'Frühere Durchläufe', 'runs.none': 'Es gibt keine.',
  'run.accepted': 'angenommen', 'run.cancelled': 'abgebrochen', 'run.left': 'verlassen', 'run.running': 'nicht beendet',
  'run.failed': 'fehlgeschlagen', 'run.begun': 'nicht beendet',

  'session.progress': 'Abschnitte', 'session.start': 'Starten', 'session.ready': 'Beginnen', 'session.capture': 'Bild aufnehmen',
  'session.waiting': 'Ohne zu warten', 'session.accept': 'Annehmen', 'session.discard': 'Verwerfen', 'session.retake': 'Wiederholen',
  'session.retakePicture': 'Das Bild {stage} wiederholen', 'session.pictureOf': 'Bild des Abschnitts {stage}',
  'session.page': 'Seite {page} von {of}', 'session.switching': 'Die Kamera wird geöffnet …', 'session.capturing': 'Stillhalten …',
  'session.stageDone': 'Fertig. Weiter zum nächsten.', 'session.viewOnly': 'Ihre Rolle darf nur zusehen.',
  'session.discardQuestion': ['Das Bild verwerfen? Es wird gelöscht.', 'Alle {count} Bilder verwerfen? Sie werden gelöscht.'],
  'session.cancelQuestion': ['Die Sitzung abbrechen? Ihr Bild wird gelöscht.', 'Die Sitzung abbrechen? Ihre {count} Bilder werden gelöscht.'],
  'session.cancelNow': 'Sitzung abbrechen', 'session.aborted': 'Angehalten: {reason}',
  'session.ended.accepted': 'Die Bilder sind gespeichert.', 'session.ended.cancelled': 'Die Sitzung wurde abgebrochen.',
  'session.ended.left': 'Die Sitzung wurde verlassen. Sie kann fortgesetzt werden.', 'session.ended.failed': 'Die Sitzung ist fehlgeschlagen.',

  'hint.hold-still': 'Bitte stillhalten', 'hint.not-in-focus-yet': 'Noch nicht scharf', 'hint.more-light': 'Mehr Licht',
  'hint.less-light': 'Weniger Licht', 'hint.closer': 'Näher kommen', 'hint.farther-away': 'Weiter weg',
  'hint.line-it-up-with-the-outline': 'Am Umriss ausrichten', 'hint.face-the-camera': 'In die Kamera schauen',

  'refusal.counting': 'Der Countdown läuft.', 'refusal.capturing': 'Gerade wird ein Bild aufgenommen.',
  'refusal.waiting-for-gates': 'Bitte zuerst dem Hinweis folgen.', 'refusal.switching-camera': 'Die Kamera wird noch geöffnet.',
  'refusal.not-skippable': 'Dieser Abschnitt kann nicht übersprungen werden.', 'refusal.only-camera': 'Es gibt nur eine Kamera.',
  'refusal.camera-is-fixed': 'Dieser Abschnitt hat eine feste Kamera.',

  'error.no-connection': 'Der Dienst ist nicht erreichbar', 'error.no-camera': 'Die Kamera ist nicht angeschlossen',
  'error.no-input': 'Nicht gefunden', 'error.permission': 'Nicht erlaubt', 'error.limit': 'Zu viele Anfragen',
  'error.temporary': 'Im Moment nicht möglich', 'error.usage': 'Die Anfrage passt nicht',
  'error.cannot-create': 'Kann nicht gespeichert werden', 'error.input-output': 'Lesen oder Schreiben fehlgeschlagen',
  'error.unknown': 'Fehler',
}
