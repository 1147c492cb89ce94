package dev.posthorn.http.auth;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** A header that shows who we are. */
public record AuthHeader(String name, String value) {

    private static final String BASIC = "Basic ";

    /** A shorter password cannot be told from the words around it. */
    private static final int SHORTEST_PASSWORD = 4;

    public static AuthHeader bearer(String token) {
        return new AuthHeader("Authorization", "Bearer " + token);
    }

    public static AuthHeader basic(String user, String password) {
        byte[] both = (user + ':' + password).getBytes(UTF_8);
        return new AuthHeader("Authorization", BASIC + Base64.getEncoder().encodeToString(both));
    }

    /** What of it nobody may be told: the value, what follows its first word, and what a receiver reads in that. */
    public List<String> secrets() {
        List<String> secrets = new ArrayList<>();
        secrets.add(value);
        secrets.add(value.substring(value.indexOf(' ') + 1));
        if (value.startsWith(BASIC)) {
            String both = new String(Base64.getDecoder().decode(value.substring(BASIC.length())), UTF_8);
            String password = both.substring(both.indexOf(':') + 1);
            secrets.add(both);
            if (password.length() >= SHORTEST_PASSWORD) {
                secrets.add(password);
            }
        }
        return secrets;
    }

    @Override
    public String toString() {
        return name + ": [hidden]";
    }
}
