package dev.posthorn.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.regex.Pattern;

/** Tells whether a request was signed, not long ago, by somebody who knows one of the secrets. */
final class Verifier {

    /** Ten digits last until the year 2286. */
    private static final Pattern SECONDS = Pattern.compile("[0-9]{1,11}");

    private final List<Secret> secrets;
    private final Duration tolerance;
    private final InstantSource clock;

    Verifier(List<Secret> secrets, Duration tolerance, InstantSource clock) {
        this.secrets = List.copyOf(secrets);
        this.tolerance = tolerance;
        this.clock = clock;
    }

    static boolean isTimestamp(String text) {
        return SECONDS.matcher(text).matches();
    }

    static Instant instant(String timestamp) {
        return Instant.ofEpochSecond(Long.parseLong(timestamp));
    }

    /** Of a request that was recorded the clock says by and by that it is old, and then it cannot be sent again. */
    boolean isTimely(String timestamp) {
        return Duration.between(instant(timestamp), clock.instant()).abs().compareTo(tolerance) <= 0;
    }

    /**
     * Whether one of the signatures, which are separated by spaces, is by one of the secrets. Those of other versions than
     * {@code v1} equal none. All are compared to the end: how long it takes tells nothing about how right one was.
     */
    @SuppressWarnings("StringSplitter") // An empty candidate equals no signature.
    boolean isGenuine(String id, String timestamp, String signatures, byte[] body) {
        String[] candidates = signatures.split(" ");
        boolean genuine = false;
        for (Secret secret : secrets) {
            byte[] expected = secret.sign(id, timestamp, body).getBytes(UTF_8);
            for (String candidate : candidates) {
                genuine |= MessageDigest.isEqual(expected, candidate.getBytes(UTF_8));
            }
        }
        return genuine;
    }
}
