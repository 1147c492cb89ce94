package dev.posthorn.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SettingsMetadataTest {

    private static final Pattern ROW = Pattern.compile("\\| `(posthorn\\.[^`]+)` \\| (?:`([^`]*)`|–) \\| (.+) \\|");

    private static final Map<String, JsonNode> METADATA = new TreeMap<>();

    /** Of the file that stands beside the class; tests have another one with settings of their own. */
    @BeforeAll
    static void read() throws Exception {
        Path classes = Path.of(HubSettings.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        try (InputStream in = Files.newInputStream(classes.resolve(KnownSettings.METADATA))) {
            JsonMapper.shared()
                    .readTree(in)
                    .path("properties")
                    .forEach(each -> METADATA.put(each.path("name").asString(), each));
        }
    }

    @Test
    void everySettingHasADescriptionAndAType() {
        assertThat(METADATA.keySet()).containsExactlyInAnyOrderElementsOf(names("posthorn", HubSettings.class));
        METADATA.forEach((name, each) -> {
            assertThat(each.path("type").asString("")).as("type of " + name).isNotBlank();
            assertThat(each.path("description").asString(""))
                    .as("description of " + name)
                    .isNotBlank();
        });
    }

    private static List<String> names(String prefix, Class<?> type) {
        List<String> names = new ArrayList<>();
        for (RecordComponent each : type.getRecordComponents()) {
            String name = prefix + "." + kebab(each.getName());
            names.addAll(each.getType().isRecord() ? names(name, each.getType()) : List.of(name));
        }
        return names;
    }

    private static String kebab(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    @Test
    void theDocumentationListsExactlyTheseWithTheirDefaults() throws Exception {
        Map<String, String> documented = new TreeMap<>();
        for (String line : Files.readAllLines(Path.of("..", "docs", "settings.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                assertThat(documented.put(row.group(1), String.valueOf(row.group(2))))
                        .as(row.group(1) + " is listed once")
                        .isNull();
            }
        }
        Map<String, String> defaults = new TreeMap<>();
        METADATA.forEach((name, each) -> defaults.put(
                name, each.has("defaultValue") ? each.path("defaultValue").asString() : "null"));
        assertThat(documented).isEqualTo(defaults);
    }
}
