package dev.posthorn.server.web;

import jakarta.servlet.http.HttpServletRequest;

/** What has to hold once more when a request's body is there, which may be long after the call was let in. */
public final class BodyEnd {

    private static final String ATTRIBUTE = BodyEnd.class.getName();

    private BodyEnd() {}

    /** Runs the check when the last of the body was read; it may throw a problem. */
    public static void check(HttpServletRequest request, Runnable check) {
        request.setAttribute(ATTRIBUTE, check);
    }

    static void reached(HttpServletRequest request) {
        if (request.getAttribute(ATTRIBUTE) instanceof Runnable check) {
            check.run();
        }
    }
}
