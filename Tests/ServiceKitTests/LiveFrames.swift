// Part of gst-capture. Apache License 2.0, see LICENSE.

import Testing

/// Tests that follow live frames. They wait most of the time, but need a processor at the right moment: `make test` runs
/// them apart from the tests that compute.
@Suite("Live frames of a service")
enum LiveFrames {}
