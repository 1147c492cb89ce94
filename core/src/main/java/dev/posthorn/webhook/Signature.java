package dev.posthorn.webhook;

import static java.util.stream.Collectors.joining;

import java.util.List;

/**
 * Signs requests by Standard Webhooks 1.0. With several secrets all sign, so that a receiver that knows only one of them,
 * whichever it is, can verify. Thread-safe.
 */
public final class Signature {

    private final List<Secret> secrets;

    private Signature(List<Secret> secrets) {
        this.secrets = secrets;
    }

    /** With these {@code whsec_…} secrets, the newest first. No message shows one of them. */
    public static Signature of(List<String> secrets) {
        Secret.require(!secrets.isEmpty(), "there is no webhook secret; give one, or two during a rotation");
        return new Signature(secrets.stream().map(Secret::of).toList());
    }

    /** A secret such as {@link #of(List)} takes, known to nobody yet. */
    public static String newSecret() {
        return Secret.random();
    }

    /** The value of {@code webhook-signature}. */
    public String of(String id, long epochSecond, byte[] body) {
        String timestamp = Long.toString(epochSecond);
        return secrets.size() == 1
                ? secrets.get(0).sign(id, timestamp, body)
                : secrets.stream()
                        .map(secret -> secret.sign(id, timestamp, body))
                        .collect(joining(" "));
    }

    @Override
    public String toString() {
        return "signature with " + secrets.size() + (secrets.size() == 1 ? " secret" : " secrets");
    }
}
