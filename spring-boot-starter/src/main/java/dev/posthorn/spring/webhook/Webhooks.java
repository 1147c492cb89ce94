package dev.posthorn.spring.webhook;

import dev.posthorn.webhook.Reception;
import dev.posthorn.webhook.WebhookReceiver;
import dev.posthorn.webhook.Work;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.time.Duration;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Routes of Spring MVC that receive webhooks: declare one as a bean. */
public final class Webhooks {

    private Webhooks() {}

    /**
     * Hands what is posted to this path to the receiver, and answers what it says. The path is open to everybody: the
     * signature is what lets a sender in, so security must let its requests through without a login or a CSRF token.
     */
    public static RouterFunction<ServerResponse> post(String path, WebhookReceiver receiver, Work work) {
        return RouterFunctions.route()
                .POST(path, request -> answer(receive(request, receiver, work)))
                .build();
    }

    /** From the servlet itself: a message converter would write the body anew, and then no signature is right. */
    private static Reception receive(ServerRequest request, WebhookReceiver receiver, Work work) throws IOException {
        HttpServletRequest servlet = request.servletRequest();
        return receiver.receive(servlet::getHeader, servlet.getInputStream(), work);
    }

    private static ServerResponse answer(Reception reception) {
        ServerResponse.BodyBuilder answer =
                ServerResponse.status(reception.status()).contentType(MediaType.TEXT_PLAIN);
        Duration retryAfter = reception.retryAfter();
        if (retryAfter != null) {
            answer.header(HttpHeaders.RETRY_AFTER, Long.toString(retryAfter.toSeconds()));
        }
        return answer.body(reception.text());
    }
}
