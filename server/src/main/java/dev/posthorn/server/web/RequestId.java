package dev.posthorn.server.web;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Gives every request an id: the caller's, if it is harmless in a log, else one of ours. It stands in the answer, in a
 * problem's body and in the log. A valve, so that requests which Tomcat refuses have one too.
 */
public final class RequestId extends ValveBase {

    static final String HEADER = "X-Request-Id";

    private static final String ATTRIBUTE = RequestId.class.getName();
    private static final String IN_LOG = "requestId";
    private static final Pattern SANE = Pattern.compile("[A-Za-z0-9._:-]{1,64}");

    RequestId() {
        super(true);
    }

    public static @Nullable String of(HttpServletRequest request) {
        return (String) request.getAttribute(ATTRIBUTE);
    }

    @Override
    public void invoke(Request request, Response response) throws IOException, ServletException {
        String id = sane(request.getHeader(HEADER));
        request.setAttribute(ATTRIBUTE, id);
        response.setHeader(HEADER, id);
        MDC.put(IN_LOG, id);
        try {
            getNext().invoke(request, response);
        } finally {
            MDC.remove(IN_LOG);
        }
    }

    private static String sane(@Nullable String given) {
        return given != null && SANE.matcher(given).matches()
                ? given
                : UUID.randomUUID().toString();
    }
}
