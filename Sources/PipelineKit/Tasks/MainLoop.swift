// Part of gst-capture. Apache License 2.0, see LICENSE.

import CGStreamer
import Dispatch
import Glibc
import SystemBase

/// GLib's default main loop (`g_main_loop_run`), for sinks that open a window with GTK, such as `gtkwaylandsink`: they
/// create it and draw it, and receive its input, on the loop's thread.
public enum MainLoop {
    /// Starts the loop on a separate thread, and returns when it runs there; it ends with the program.
    ///
    /// If another thread runs the default main loop, as in a program with GTK, that thread keeps it, and this one waits
    /// for its end. Any task may call this, any number of times.
    public static func start() async {
        await BlockingWork.run { _ = isStarted }
    }

    /// Starts the thread at the first access, and waits until it has the loop or knows of another owner.
    private static let isStarted: Bool = {
        keepLocale()
        let thread = g_thread_new(
            "main-loop",
            { _ in
                // A context without an owner would run the next call on the thread of its caller.
                g_main_context_acquire(nil)
                decided.signal()
                // Waits if there is another owner, and never returns.
                g_main_loop_run(g_main_loop_new(nil, 0))
                return nil
            }, nil)
        g_thread_unref(thread)
        decided.wait()
        return true
    }()

    private static let decided = DispatchSemaphore(value: 0)

    /// GTK would set the user's locale for the whole program (`setlocale`), with its decimal comma, while other threads
    /// print and parse numbers.
    private static func keepLocale() {
        guard let gtk = dlopen("libgtk-3.so.0", RTLD_LAZY), let function = dlsym(gtk, "gtk_disable_setlocale") else {
            return
        }
        unsafeBitCast(function, to: (@convention(c) () -> Void).self)()
    }
}
