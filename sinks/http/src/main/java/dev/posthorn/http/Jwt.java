package dev.posthorn.http;

import dev.posthorn.http.auth.JwtSigner;
import dev.posthorn.http.auth.SigningKey;
import dev.posthorn.http.text.Setting;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What stands in the JWTs that Posthorn signs itself, and with which key. They are sent as
 * {@code Authorization: Bearer}; each has its own {@code jti}, and {@code iat}, {@code nbf} and {@code exp}.
 */
public final class Jwt {

    private static final Duration LEAST_LIFETIME = Duration.ofSeconds(10);
    private static final Duration MOST_LIFETIME = Duration.ofHours(24);

    private static final Map<String, String> OWN_SETTINGS =
            Map.of("iss", "issuer", "sub", "subject", "aud", "audience", "exp", "lifetime");
    private static final Set<String> MADE_PER_TOKEN = Set.of("iat", "nbf", "jti");

    private final JwtSigner signer;

    private Jwt(Builder builder) {
        this.signer = new JwtSigner(builder.key, builder.header(), builder.claims, builder.lifetime);
    }

    /** Signed with a secret that the receiver knows too, of at least 32 bytes. */
    public static Builder hs256(byte[] secret) {
        return new Builder(SigningKey.hs256(secret));
    }

    /** Signed with an RSA key of at least 2048 bits: PEM, PKCS#8 or PKCS#1, not encrypted. */
    public static Builder rs256(String privateKeyPem) {
        return new Builder(SigningKey.rs256(privateKeyPem));
    }

    /** Signed with an EC key on the curve P-256: PEM, PKCS#8 or SEC1, not encrypted. */
    public static Builder es256(String privateKeyPem) {
        return new Builder(SigningKey.es256(privateKeyPem));
    }

    JwtSigner signer() {
        return signer;
    }

    @Override
    public String toString() {
        return signer.toString();
    }

    /** What a token says; nothing is mandatory. */
    public static final class Builder {

        private final SigningKey key;
        private final Map<String, Object> claims = new LinkedHashMap<>();
        private Duration lifetime = Duration.ofMinutes(5);
        private @Nullable String keyId;

        private Builder(SigningKey key) {
            this.key = key;
        }

        /** By which the receiver finds the key to verify with. */
        public Builder keyId(String keyId) {
            this.keyId = Setting.requireText("the JWT key id", keyId);
            return this;
        }

        public Builder issuer(String issuer) {
            claims.put("iss", Setting.requireText("the JWT issuer", issuer));
            return this;
        }

        public Builder subject(String subject) {
            claims.put("sub", Setting.requireText("the JWT subject", subject));
            return this;
        }

        /** For whom it is: one name, or several. */
        public Builder audience(String... audience) {
            Setting.require(audience.length > 0, "the JWT audience is empty; give one or leave the setting out");
            for (String each : audience) {
                Setting.requireText("the JWT audience", each);
            }
            claims.put("aud", audience.length == 1 ? audience[0] : List.of(audience));
            return this;
        }

        public Builder claim(String name, String value) {
            return put(name, value);
        }

        public Builder claim(String name, long value) {
            return put(name, value);
        }

        public Builder claim(String name, double value) {
            Setting.require(Double.isFinite(value), "the JWT claim '" + name + "' is not a finite number");
            return put(name, value);
        }

        public Builder claim(String name, boolean value) {
            return put(name, value);
        }

        /** A text, a number, true or false, as it was read from a document or a setting. */
        public Builder claim(String name, Object value) {
            if (value instanceof String || value instanceof Boolean) {
                return put(name, value);
            }
            if (value instanceof Integer || value instanceof Long) {
                return claim(name, ((Number) value).longValue());
            }
            Setting.require(
                    value instanceof Number number && Double.isFinite(number.doubleValue()),
                    "the JWT claim '" + name + "' must be a text, a number of usual size, true or false");
            return claim(name, ((Number) value).doubleValue());
        }

        private Builder put(String name, Object value) {
            Setting.requireText("the name of a JWT claim", name);
            String own = OWN_SETTINGS.get(name);
            Setting.require(own == null, "the JWT claim '" + name + "' has its own setting; use " + own);
            Setting.require(
                    !MADE_PER_TOKEN.contains(name),
                    "the JWT claim '" + name + "' is made for each token; leave it out");
            claims.put(name, value);
            return this;
        }

        /** From 10 seconds to 24 hours; left out: 5 minutes. A token is sent for three quarters of it. */
        public Builder lifetime(Duration lifetime) {
            Setting.require(
                    lifetime.compareTo(LEAST_LIFETIME) >= 0 && lifetime.compareTo(MOST_LIFETIME) <= 0,
                    "the JWT lifetime is " + lifetime + "; it must be " + LEAST_LIFETIME + " to " + MOST_LIFETIME);
            this.lifetime = lifetime;
            return this;
        }

        private Map<String, Object> header() {
            Map<String, Object> header = new LinkedHashMap<>();
            header.put("alg", key.algorithm());
            header.put("typ", "JWT");
            if (keyId != null) {
                header.put("kid", keyId);
            }
            return header;
        }

        public Jwt build() {
            return new Jwt(this);
        }
    }
}
