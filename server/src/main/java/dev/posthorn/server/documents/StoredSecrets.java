package dev.posthorn.server.documents;

import dev.posthorn.server.problem.ProblemException;
import dev.posthorn.server.web.Parameters;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The secrets that are stored with a document, and which of them a mask in the next document stands for. A mask tells
 * secrets apart by a fingerprint that is random and is given to a secret when it first comes: a hash of it, however salted,
 * would let whoever may try secrets find out a weak one by its fingerprint.
 */
final class StoredSecrets {

    private static final int FINGERPRINT_BYTES = 4;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Sent to the receiver, in a header. */
    private static final Set<String> LIKE_HEADERS = Set.of("sink.auth.token", "sink.auth.value", "sink.auth.password");

    private final @Nullable ObjectNode document;
    private final Map<String, Stored> byPlace;
    private final @Nullable String lock;

    private StoredSecrets(@Nullable ObjectNode document, Map<String, Stored> byPlace, @Nullable String lock) {
        this.document = document;
        this.byPlace = byPlace;
        this.lock = lock;
    }

    private record Stored(String place, String mask, String secret) {

        /** Those that were stored before there were fingerprints have none. */
        boolean hasFingerprint() {
            return !mask.equals(SecretPlaces.MASK);
        }

        @Override
        public String toString() {
            return place;
        }
    }

    /** Nothing is stored yet. */
    static StoredSecrets none() {
        return new StoredSecrets(null, Map.of(), null);
    }

    /** They cannot be decrypted, so nothing can be kept. */
    static StoredSecrets locked(ObjectNode document, String why) {
        return new StoredSecrets(document, Map.of(), why);
    }

    static StoredSecrets of(ObjectNode document, Map<String, String> secrets) {
        Map<String, Stored> all = new LinkedHashMap<>();
        SecretPlaces.values(document).forEach((place, value) -> {
            boolean masked = SecretPlaces.isMask(value);
            String secret = masked ? secrets.get(place) : value;
            if (secret != null) {
                all.put(place, new Stored(place, masked ? value : SecretPlaces.MASK, secret));
            }
        });
        return new StoredSecrets(document, all, null);
    }

    /**
     * What a caller asks for, with the stored secrets for its masks. A secret is kept only for the one that it was given for:
     * whoever can change a subscription could otherwise have it sent to a host of their own.
     */
    SecretPlaces.Parted keptIn(ObjectNode asked) {
        Map<String, String> masks = new LinkedHashMap<>(SecretPlaces.values(asked));
        masks.values().removeIf(value -> !SecretPlaces.isMask(value));
        masks.keySet().stream().findFirst().ifPresent(place -> requireUnmoved(place, asked));
        Map<String, Stored> kept = new HashMap<>();
        masks.forEach((place, mask) -> kept.put(place, stored(place, mask, masks)));
        SecretPlaces.Parted parted = parted(asked, kept);
        SecretPlaces.requireWholeUrls(parted.full());
        return parted;
    }

    private void requireUnmoved(String place, ObjectNode asked) {
        List<String> moved = document == null ? List.of() : SecretRecipients.changed(asked, document);
        if (!moved.isEmpty()) {
            throw refusal(
                    place, moved.get(0) + " is another than before and a secret does not follow it; give it anew");
        }
    }

    private Stored stored(String place, String mask, Map<String, String> masks) {
        if (lock != null) {
            throw refusal(place, lock);
        }
        return mask.equals(SecretPlaces.MASK) ? here(place, masks) : byFingerprint(place, mask);
    }

    private Stored byFingerprint(String place, String mask) {
        Stored found = byPlace.values().stream()
                .filter(each -> each.mask().equals(mask))
                .findFirst()
                .orElseThrow(() -> refusal(
                        place,
                        "none has the fingerprint after it; take it as GET shows it, or give the secret itself"));
        if (!group(found.place()).equals(group(place))) {
            throw refusal(
                    place,
                    "the one with that fingerprint is that of "
                            + found.place().substring("sink.".length())
                            + ", which is used in another way; give the secret itself");
        }
        return found;
    }

    /** That of the same place, or else the only one that it can mean. */
    private Stored here(String place, Map<String, String> masks) {
        Stored same = byPlace.get(place);
        if (same != null && !isNamed(same, masks)) {
            return same;
        }
        List<Stored> left = byPlace.values().stream()
                .filter(each -> group(each.place()).equals(group(place)) && !isTaken(each, masks))
                .toList();
        if (left.isEmpty()) {
            throw refusal(place, "none is stored here; give it");
        }
        if (left.size() > 1) {
            throw refusal(
                    place,
                    "it may be any of " + left.size() + "; write it with its fingerprint, as GET shows it, or give the"
                            + " secret itself");
        }
        return left.get(0);
    }

    private static boolean isNamed(Stored stored, Map<String, String> masks) {
        return stored.hasFingerprint() && masks.containsValue(stored.mask());
    }

    private static boolean isTaken(Stored stored, Map<String, String> masks) {
        return isNamed(stored, masks) || SecretPlaces.MASK.equals(masks.get(stored.place()));
    }

    /**
     * Places among which a secret may be moved, because there it goes to the same one in the same way. A private key that
     * could become a header would be sent to somebody who never had it.
     */
    private static String group(String place) {
        if (place.startsWith("sink.signingSecrets[")) {
            return "sink.signingSecrets";
        }
        if (place.startsWith("sink.headers.") || LIKE_HEADERS.contains(place)) {
            return "sink.headers";
        }
        return place.startsWith("sink.auth.parameters.") ? "sink.auth.clientSecret" : place;
    }

    private SecretPlaces.Parted parted(ObjectNode asked, Map<String, Stored> kept) {
        Map<String, String> secrets = new LinkedHashMap<>();
        Set<String> used = byPlace.values().stream().map(Stored::mask).collect(Collectors.toSet());
        ObjectNode masked = SecretPlaces.replaced(asked, (place, value) -> {
            Stored stored = kept.containsKey(place) ? kept.get(place) : given(place, value);
            secrets.put(place, stored == null ? value : stored.secret());
            return stored != null && stored.hasFingerprint() ? stored.mask() : newMask(used);
        });
        return new SecretPlaces.Parted(masked, secrets);
    }

    /** The stored one if it was given again. Of its own place only: another's would tell whether it was guessed. */
    private @Nullable Stored given(String place, String secret) {
        Stored stored = byPlace.get(place);
        return stored != null && stored.secret().equals(secret) ? stored : null;
    }

    private static String newMask(Set<String> used) {
        return Stream.generate(StoredSecrets::randomMask)
                .filter(used::add)
                .findFirst()
                .orElseThrow();
    }

    private static String randomMask() {
        byte[] bytes = new byte[FINGERPRINT_BYTES];
        RANDOM.nextBytes(bytes);
        return SecretPlaces.MASK + HexFormat.of().formatHex(bytes);
    }

    private static ProblemException refusal(String place, String why) {
        return Parameters.refused(place, "is " + SecretPlaces.MASK + ", which stands for a stored secret, but " + why);
    }
}
