package dev.posthorn.server.settings;

import dev.posthorn.error.Nearest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The settings there are, as the compiler found them. */
final class KnownSettings {

    static final String METADATA = "META-INF/spring-configuration-metadata.json";

    private static final Pattern INDEX = Pattern.compile("\\[\\d+]");
    private static final Pattern INDEX_IN_VARIABLE = Pattern.compile("_\\d+_?$");

    /** By uniform name, in which case and dashes do not count. */
    private final Map<String, Setting> settings = new TreeMap<>();

    /** A setting's name and whether it holds several values. */
    private record Setting(String name, boolean isList) {}

    private KnownSettings() {}

    static KnownSettings onClassPath() {
        KnownSettings known = new KnownSettings();
        try {
            for (URL each :
                    Collections.list(KnownSettings.class.getClassLoader().getResources(METADATA))) {
                known.read(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return known;
    }

    private void read(URL metadata) throws IOException {
        try (InputStream in = metadata.openStream()) {
            for (JsonNode each : JsonMapper.shared().readTree(in).path("properties")) {
                add(
                        each.path("name").asString(""),
                        each.path("type").asString("").startsWith("java.util.List"));
            }
        }
    }

    private void add(String name, boolean isList) {
        if (name.startsWith("posthorn.")) {
            settings.put(uniform(name), new Setting(name, isList));
        }
    }

    /** A property as it stands in a file, on the command line or among system properties. */
    boolean hasProperty(String name) {
        Setting setting = settings.get(uniform(INDEX.matcher(name).replaceAll("")));
        return setting != null && (setting.isList() || !INDEX.matcher(name).find());
    }

    /** An environment variable. */
    boolean hasVariable(String name) {
        if (settings.containsKey(uniformVariable(name))) {
            return true;
        }
        Setting list =
                settings.get(uniformVariable(INDEX_IN_VARIABLE.matcher(name).replaceAll("")));
        return list != null && list.isList();
    }

    /** What was probably meant, as a property and as an environment variable. */
    String remedy(String name) {
        Optional<String> nearest = Nearest.to(uniform(name), settings.keySet());
        return nearest.map(settings::get)
                .map(found -> "did you mean " + found.name() + " (" + variable(found.name()) + ")?")
                .orElse("docs/settings.md lists all of them");
    }

    static String variable(String property) {
        return property.replace("-", "").replace('.', '_').toUpperCase(Locale.ROOT);
    }

    /** The property that an environment variable stands for, as far as its dots can be told. */
    static String property(String variable) {
        return variable.toLowerCase(Locale.ROOT).replace('_', '.');
    }

    private static String uniform(String property) {
        return ConfigurationPropertyName.adapt(property, '.')
                .toString()
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9]", "");
    }

    private static String uniformVariable(String variable) {
        return variable.toLowerCase(Locale.ROOT).replace("_", "");
    }
}
