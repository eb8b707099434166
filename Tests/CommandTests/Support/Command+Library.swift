// Part of gst-capture. Apache License 2.0, see LICENSE.

import Foundation
import ProgramTestSupport
import Testing

extension Command {
    /// Compiles a library that replaces functions of C in the command. Returns its path.
    func library(_ functions: String) throws -> String {
        try write(
            "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
                + functions + "\n", to: "library.c")
        let line = ["clang", "-w", "-shared", "-fPIC", "-o", "library.so", "library.c"]
        try #require(ChildProgram(line, in: folder).wait() == 0)
        return folder.path + "/library.so"
    }
}
