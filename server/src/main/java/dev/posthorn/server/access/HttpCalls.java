package dev.posthorn.server.access;

import jakarta.servlet.http.HttpServletRequest;
import java.net.InetAddress;
import java.net.UnknownHostException;

/** Reads from an HTTP request who calls. */
final class HttpCalls {

    private HttpCalls() {}

    static Call of(HttpServletRequest request) {
        return new Call(
                Call.key(request.getHeader("Authorization"), request.getHeader("X-API-Key")),
                address(request.getRemoteAddr()),
                request.getHeader("Host"),
                request.getHeader("Origin"),
                request.getHeader("Forwarded") != null || request.getHeader("X-Forwarded-For") != null);
    }

    private static InetAddress address(String numeric) {
        try {
            return InetAddress.getByName(numeric);
        } catch (UnknownHostException e) {
            throw new IllegalStateException("Tomcat gave an address that is none: " + numeric, e);
        }
    }
}
