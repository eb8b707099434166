// Part of gst-capture. Apache License 2.0, see LICENSE.

/// The films that are made while a series runs.
public enum FilmPeriod: String, Sendable, Hashable, CaseIterable {
    /// No film.
    case off
    /// A film of each day, which is complete at midnight.
    case day
}

/// The picture that a film shows if others are missing.
public enum FilmGaps: String, Sendable, Hashable, CaseIterable {
    /// The next picture at once.
    case jump
    /// The last picture for the time of the missing ones, at most 10 seconds.
    case hold
}
