package dev.posthorn.server.access;

import jakarta.servlet.http.HttpServletRequest;

/** For calls that last: whether one that was let in would still be. */
public final class Recheck {

    private static final String ATTRIBUTE = Recheck.class.getName();

    private Recheck() {}

    static void put(HttpServletRequest request, Runnable check) {
        request.setAttribute(ATTRIBUTE, check);
    }

    /** Throws the problem if the call would not be let in any more. */
    public static Runnable of(HttpServletRequest request) {
        if (request.getAttribute(ATTRIBUTE) instanceof Runnable check) {
            return check;
        }
        throw new IllegalStateException("a call was let in without anybody having asked who makes it");
    }
}
