// Part of gst-capture. Apache License 2.0, see LICENSE.

import { addWords } from './words.js'

// The words of the outbox. They are loaded with its view, or with the details of a picture.
addWords({
  en: {
    'outbox.state.sending': 'sending', 'outbox.state.ready': 'everything sent', 'outbox.state.dead': 'some are dead', 'outbox.state.paused': 'paused', 'outbox.state.closed': 'outside its hours',
    'outbox.state.waits': 'waits', 'outbox.fault.unreachable': 'Does not answer', 'outbox.fault.full': 'Has no room', 'outbox.fault.access': 'Denies access',
    'outbox.fault.clock': 'The clock of this machine is wrong', 'outbox.fault.missing': 'Its folder is missing',
    'outbox.waiting': 'Waiting', 'outbox.oldest': 'Oldest', 'outbox.oldestText': '{span} old', 'outbox.sent': 'Sent', 'outbox.last': 'Last one sent', 'outbox.skipped': 'Skipped',
    'outbox.retryAt': 'Next attempt', 'outbox.count': ['{count} picture', '{count} pictures'], 'outbox.sentText': '{pictures}, {bytes}',
    'outbox.dead': 'Dead pictures', 'outbox.erase': 'has to be erased at the target', 'outbox.more': ['{count} more picture', '{count} more pictures'],
    'outbox.retry': 'Retry', 'outbox.retryAll': 'Retry all', 'outbox.drop': 'Give up', 'outbox.tryNow': 'Try now',
    'outbox.dropQuestion': 'Give up the picture {file} for the target {target}? Its file stays on this machine.',
    'outbox.retried': ['The picture is sent again.', '{count} pictures are sent again.'], 'outbox.dropped': 'The picture is not sent.',
    'outbox.tried': '{target}: the next attempt is now.', 'outbox.paused': '{target} pauses.', 'outbox.resumed': '{target} continues.',
    'upload.sent': '{target}: sent', 'upload.waiting': '{target}: waits', 'upload.dead': '{target}: dead', 'upload.skipped': '{target}: skipped',
  },
  de: {
    'outbox.state.sending': 'sendet', 'outbox.state.ready': 'alles gesendet', 'outbox.state.dead': 'einige gescheitert', 'outbox.state.paused': 'pausiert', 'outbox.state.closed': 'außerhalb der Sendezeit',
    'outbox.state.waits': 'wartet', 'outbox.fault.unreachable': 'Antwortet nicht', 'outbox.fault.full': 'Hat keinen Platz', 'outbox.fault.access': 'Verweigert den Zugang',
    'outbox.fault.clock': 'Die Uhr dieses Geräts geht falsch', 'outbox.fault.missing': 'Der Ordner fehlt',
    'outbox.waiting': 'Wartend', 'outbox.oldest': 'Ältestes', 'outbox.oldestText': '{span} alt', 'outbox.sent': 'Gesendet', 'outbox.last': 'Zuletzt gesendet', 'outbox.skipped': 'Übersprungen',
    'outbox.retryAt': 'Nächster Versuch', 'outbox.count': ['{count} Bild', '{count} Bilder'], 'outbox.sentText': '{pictures}, {bytes}',
    'outbox.dead': 'Gescheiterte Bilder', 'outbox.erase': 'muss am Ziel gelöscht werden', 'outbox.more': ['{count} weiteres Bild', '{count} weitere Bilder'],
    'outbox.retry': 'Erneut senden', 'outbox.retryAll': 'Alle erneut senden', 'outbox.drop': 'Aufgeben', 'outbox.tryNow': 'Jetzt versuchen',
    'outbox.dropQuestion': 'Das Bild {file} für das Ziel {target} aufgeben? Seine Datei bleibt auf diesem Gerät.',
    'outbox.retried': ['Das Bild wird erneut gesendet.', '{count} Bilder werden erneut gesendet.'], 'outbox.dropped': 'Das Bild wird nicht gesendet.',
    'outbox.tried': '{target}: Der nächste Versuch ist jetzt.', 'outbox.paused': '{target} pausiert.', 'outbox.resumed': '{target} sendet weiter.',
    'upload.sent': '{target}: gesendet', 'upload.waiting': '{target}: wartet', 'upload.dead': '{target}: gescheitert', 'upload.skipped': '{target}: übersprungen',
  },
})
