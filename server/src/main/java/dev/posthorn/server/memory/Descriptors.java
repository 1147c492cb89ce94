package dev.posthorn.server.memory;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** How many files and connections the system lets this process have open, those to its database and to receivers included. */
public final class Descriptors {

    private Descriptors() {}

    /** Without end where the system does not tell. */
    public static long most() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? unix.getMaxFileDescriptorCount()
                : Long.MAX_VALUE;
    }
}
