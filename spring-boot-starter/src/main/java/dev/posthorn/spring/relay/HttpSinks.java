package dev.posthorn.spring.relay;

import dev.posthorn.http.Destinations;
import dev.posthorn.http.Form;
import dev.posthorn.http.HttpSink;
import dev.posthorn.sink.Sink;
import dev.posthorn.spring.settings.SubscriptionProperties;
import dev.posthorn.spring.setup.SetupException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Apart from others, because posthorn-http may be missing. */
final class HttpSinks {

    private static final List<String> PRIVATE =
            List.of("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7");

    private HttpSinks() {}

    static Sink create(String property, SubscriptionProperties.Http settings) {
        String url = settings.url();
        if (url == null || url.isBlank()) {
            throw new SetupException(property + ".url is missing", "Set it to the URL that events are posted to");
        }
        HttpSink.Builder sink = HttpSink.builder(url)
                .signedWith(settings.secrets().toArray(String[]::new))
                .authentication(HttpAuthentication.of(property, settings))
                .retryOn(settings.retryOn().stream().mapToInt(Integer::intValue).toArray());
        settings.headers().forEach(sink::header);
        if (settings.form() != null) {
            sink.form(form(property, settings.form()));
        }
        if (settings.allowPrivateAddresses()) {
            sink.destinations(withPrivate());
        }
        if (settings.concurrency() != null) {
            sink.concurrency(settings.concurrency());
        }
        return sink.build();
    }

    private static Form form(String property, String name) {
        return Arrays.stream(Form.values())
                .filter(each -> each.name().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> new SetupException(
                        property + ".form is '" + name + "'",
                        "Choose one of " + Arrays.toString(Form.values()).toLowerCase(Locale.ROOT)));
    }

    private static Destinations withPrivate() {
        Destinations.Builder destinations = Destinations.builder().allowLoopback();
        PRIVATE.forEach(destinations::allowNetwork);
        return destinations.build();
    }
}
