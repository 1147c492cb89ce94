package dev.posthorn.spring.settings;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What others on the class path know under {@code posthorn.}, by what they tell editors: a hub, for instance, that a test runs
 * in the same JVM with the same system properties.
 */
final class OtherProperties {

    private static final String METADATA = "META-INF/spring-configuration-metadata.json";

    private final Set<String> names = new HashSet<>();

    private OtherProperties() {}

    static OtherProperties onClassPath(@Nullable ClassLoader given) {
        ClassLoader loader = given == null ? ClassUtils.getDefaultClassLoader() : given;
        OtherProperties others = new OtherProperties();
        if (loader == null) {
            return others;
        }
        try {
            for (URL each : Collections.list(loader.getResources(METADATA))) {
                others.read(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return others;
    }

    private void read(URL metadata) throws IOException {
        try (InputStream in = metadata.openStream()) {
            for (JsonNode each : JsonMapper.shared().readTree(in).path("properties")) {
                String name = each.path("name").asString("");
                if (name.startsWith("posthorn.")) {
                    names.add(uniform(name));
                }
            }
        }
    }

    /** A property or a variable. */
    boolean has(String name) {
        return names.contains(uniform(name));
    }

    /** A list may be given one by one. */
    private static String uniform(String name) {
        return name.toLowerCase(Locale.ROOT)
                .replaceAll("\\[\\d+]$|_\\d+_?$", "")
                .replaceAll("[._-]", "");
    }
}
