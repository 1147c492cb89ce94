package dev.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What an editor shows, and what the page says, about each property. */
class MetadataTest {

    private static final Path PAGE = Path.of("../docs/spring-boot.md");
    private static final String SUBSCRIPTIONS = "posthorn.subscriptions";

    @Test
    void everyPropertyHasADescription() throws IOException {
        assertThat(properties())
                .hasSizeGreaterThan(15)
                .allSatisfy(property -> assertThat(property.path("description").asString())
                        .as(property.path("name").asString())
                        .isNotEmpty());
    }

    @Test
    void everyPropertyIsOnThePageWithItsDefault() throws IOException {
        String page = Files.readString(PAGE);
        assertThat(properties())
                .filteredOn(property -> property.path("sourceType").asString().contains("PosthornProperties"))
                .filteredOn(property -> !property.path("name").asString().equals(SUBSCRIPTIONS))
                .allSatisfy(property -> assertThat(page)
                        .contains("| `" + property.path("name").asString() + "` | " + defaultOf(property) + " |"));
    }

    @Test
    void everySettingOfASubscriptionIsOnThePage() throws IOException {
        String page = Files.readString(PAGE);
        assertThat(names("", SubscriptionProperties.class))
                .allSatisfy(name -> assertThat(page).contains("| `" + name + "` |"));
    }

    private static String defaultOf(JsonNode property) {
        JsonNode value = property.path("defaultValue");
        return value.isMissingNode() ? "–" : "`" + value.asString() + "`";
    }

    private static List<String> names(String prefix, Class<?> settings) {
        return Arrays.stream(settings.getRecordComponents())
                .flatMap(each -> names(prefix + dashed(each), each))
                .toList();
    }

    private static Stream<String> names(String name, RecordComponent component) {
        return component.getType().isRecord() ? names(name + ".", component.getType()).stream() : Stream.of(name);
    }

    private static String dashed(RecordComponent component) {
        return component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private List<JsonNode> properties() throws IOException {
        try (InputStream in = getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            return JsonMapper.shared()
                    .readTree(in)
                    .path("properties")
                    .valueStream()
                    .toList();
        }
    }
}
