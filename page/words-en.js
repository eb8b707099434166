// Part of gst-capture. Apache License 2.0, see LICENSE.

// All words of the page in English. A pair has the texts for one and for other numbers.
export default {
  language: 'English',

  live: 'Live', pictures: 'Pictures', sessions: 'Sessions', session: 'Session',
  views: 'Views', tools: 'Tools', camera: 'Camera', view: 'View', skipToContent: 'Skip to the content',
  close: 'Close', cancel: 'Cancel', stop: 'Stop', pause: 'Pause', resume: 'Resume', done: 'Done', undo: 'Undo',
  next: 'Next', back: 'Back', skip: 'Skip', switch: 'Other camera', reset: 'Reset all', remove: 'Delete', select: 'Select',
  download: 'Download', details: 'Details', loading: 'Loading …', fault: 'Fault', tryAgain: 'Try again',
  'unit.s': 'seconds', 'unit.m': 'minutes', 'unit.h': 'hours',

  'connection.fine': 'Connected', 'connection.fault': 'Fault', 'connection.lost': 'No connection',
  'connection.stale': 'No connection for {span}. The page shows the state of {time} and connects again by itself.',
  'pair.title': 'This browser is not paired', 'refused.title': 'The service does not respond as expected',
  'pair.text': 'Run this command on the machine with the camera, and open the link or scan its QR code:',

  'live.alt': 'Live picture of the camera', 'live.last': 'Show the last picture',
  'live.noCamera': 'The service has no camera.',
  'live.unstored': 'Captured. This camera stores no pictures; save it from here.',
  snap: 'Take a picture', delayed: 'Picture in {count} s', burst: 'Burst of {count}', timer: 'Timer',
  'delay.seconds': 'Delay in seconds', 'burst.pictures': 'Pictures of a burst',
  sound: 'Countdown', 'sound.off': 'silent', 'sound.beep': 'beeps', 'sound.speech': 'speaks',
  outline: 'Outline', 'outline.none': 'None', opacity: 'Opacity', dim: 'Dark outside of the outline',
  mirror: 'Mirror', grid: 'Grid', ghost: 'Ghost', 'ghost.use': 'Show over the live picture', series: 'Series', controls: 'Controls',

  'controls.picture': 'Picture', 'controls.camera': 'Exposure and focus', 'controls.flash': 'Flash',
  'controls.jpeg': 'JPEG', 'controls.sensor': 'Sensor', 'controls.other': 'Other',
  'controls.none': 'This camera has no controls.', 'controls.readOnly': 'Your role may not change controls.',
  'lock.exposure': 'Lock exposure', 'lock.white-balance': 'Lock white balance', 'lock.focus': 'Lock focus', unlock: 'Unlock',

  'series.none': 'This camera has no series.', 'series.new': 'New series', 'series.interval': 'A picture every',
  'series.unit': 'Unit', 'series.name': 'Name', 'series.align': 'At whole minutes and hours', 'series.start': 'Start',
  'series.next': 'Next picture', 'series.in': 'in {span} ({time})', 'series.schedule': 'Schedule',
  'series.pictures': 'Pictures', 'series.counts': '{captured} captured, {late} late, {missed} missed, {failed} failed',
  'series.lag': 'Distance to the slot', 'series.lagText': 'mean {mean} ms, largest {largest} ms',
  'series.space': 'Free space', 'series.spaceText': '{free}, enough for {span}', 'series.remove': 'End and remove',
  'series.removeQuestion': 'End the series {id}? Its pictures stay on the disk.',
  'series.error': 'Distance to the slot', 'series.brightness': 'Brightness',
  'series.starting': 'starts', 'series.running': 'runs', 'series.waiting': 'waits', 'series.paused': 'paused',
  'series.stopped': 'stopped', 'series.completed': 'completed',

  'pictures.none': 'No pictures are stored yet.', 'pictures.filter': 'Filter', 'pictures.all': 'All pictures',
  'pictures.requested': 'On request, {id}',
  'pictures.camera': 'Camera {id}', 'pictures.series': 'Series {id}', 'pictures.live': 'Live picture of {id}',
  'pictures.one': 'Picture of {time}, {camera}', 'pictures.selected': '{count} selected',
  'pictures.removed': ['Picture deleted', '{count} pictures deleted'],
  viewer: 'Picture', 'details.id': 'ID', 'details.offset': 'Distance to the slot', 'details.brightness': 'Brightness',

  'sessions.none': 'The configuration of the service has no sessions.', 'sessions.running': 'running',
  'sessions.begin': 'Open', 'sessions.watch': 'Watch', runs: 'Earlier runs', 'runs.none': 'There are none.',
  'run.accepted': 'accepted', 'run.cancelled': 'canceled', 'run.left': 'left', 'run.running': 'not finished',
  'run.failed': 'failed', 'run.begun': 'not finished',

  'session.progress': 'Stages', 'session.start': 'Start', 'session.ready': 'Begin', 'session.capture': 'Take the picture',
  'session.waiting': 'Without waiting', 'session.accept': 'Accept', 'session.discard': 'Discard', 'session.retake': 'Retake',
  'session.retakePicture': 'Retake the picture {stage}', 'session.pictureOf': 'Picture of the stage {stage}',
  'session.page': 'Page {page} of {of}', 'session.switching': 'The camera opens …', 'session.capturing': 'Hold still …',
  'session.stageDone': 'Done. On to the next one.', 'session.viewOnly': 'Your role may only watch.',
  'session.discardQuestion': ['Discard the picture? It is deleted.', 'Discard all {count} pictures? They are deleted.'],
  'session.cancelQuestion': ['Cancel the session? Its picture is deleted.', 'Cancel the session? Its {count} pictures are deleted.'],
  'session.cancelNow': 'Cancel the session', 'session.aborted': 'Stopped: {reason}',
  'session.ended.accepted': 'The pictures are stored.', 'session.ended.cancelled': 'The session was canceled.',
  'session.ended.left': 'The session was left. It can be resumed.', 'session.ended.failed': 'The session failed.',

  'hint.hold-still': 'Hold still', 'hint.not-in-focus-yet': 'Not in focus yet', 'hint.more-light': 'More light',
  'hint.less-light': 'Less light', 'hint.closer': 'Come closer', 'hint.farther-away': 'Go farther away',
  'hint.line-it-up-with-the-outline': 'Line it up with the outline', 'hint.face-the-camera': 'Face the camera',

  'refusal.counting': 'The countdown is running.', 'refusal.capturing': 'A picture is being taken.',
  'refusal.waiting-for-gates': 'Please follow the hint first.', 'refusal.switching-camera': 'The camera is still opening.',
  'refusal.not-skippable': 'This stage cannot be skipped.', 'refusal.only-camera': 'There is only one camera.',
  'refusal.camera-is-fixed': 'This stage has a fixed camera.',

  'error.no-connection': 'The service cannot be reached', 'error.no-camera': 'The camera is not connected',
  'error.no-input': 'Not found', 'error.permission': 'Not permitted', 'error.limit': 'Too many requests',
  'error.temporary': 'Not possible at the moment', 'error.usage': 'The request does not fit',
  'error.cannot-create': 'Cannot be stored', 'error.input-output': 'Reading or writing failed', 'error.unknown': 'Error',
}
