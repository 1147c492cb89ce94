package dev.posthorn.spring.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.http.Form;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.DefaultValue;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What an editor shows, and what the page says, about each property. */
class MetadataTest {

    private static final Path PAGE = Path.of("../docs/spring-boot.md");
    private static final String SUBSCRIPTIONS = "posthorn.subscriptions";
    private static final String OF_ONE = SUBSCRIPTIONS + ".*.";

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
    void everyPropertyOnThePageExists() throws IOException {
        List<String> all = names(properties());
        assertThat(rows("| Property | Default | |"))
                .filteredOn(name -> !name.startsWith(SUBSCRIPTIONS))
                .hasSizeGreaterThan(15)
                .isSubsetOf(all);
    }

    @Test
    void thePageAndTheMetadataHaveEverySettingOfASubscriptionAndNoOther() throws IOException {
        List<String> settings = settings().map(Setting::name).toList();
        assertThat(rows("| Setting | |")).hasSizeGreaterThan(40).containsExactlyInAnyOrderElementsOf(settings);
        assertThat(names(properties()))
                .filteredOn(name -> name.startsWith(OF_ONE))
                .containsExactlyInAnyOrderElementsOf(
                        settings.stream().map(name -> OF_ONE + name).toList());
    }

    @Test
    void theMetadataHasTypeAndDefaultOfEverySettingOfASubscription() throws IOException {
        Map<String, JsonNode> metadata = byName("properties");
        assertThat(settings()).allSatisfy(setting -> {
            JsonNode told = Objects.requireNonNull(metadata.get(OF_ONE + setting.name()));
            assertThat(told.path("type").asString()).as(setting.name()).isEqualTo(setting.type());
            assertThat(told.path("defaultValue").asString(""))
                    .as(setting.name())
                    .isEqualTo(setting.defaultValue());
        });
    }

    /** An editor that does not look into a map's values offers them by the hints. */
    @Test
    void theMetadataHasTheValuesOfEveryEnumeration() throws IOException {
        Map<String, JsonNode> hints = byName("hints");
        List<Setting> choices =
                settings().filter(each -> each.component().getType().isEnum()).toList();
        assertThat(choices)
                .hasSizeGreaterThan(5)
                .allSatisfy(each -> assertThat(values(hints, each.name()))
                        .as(each.name())
                        .containsExactlyInAnyOrderElementsOf(
                                constants(each.component().getType())));
        assertThat(values(hints, "http.form")).containsExactlyInAnyOrderElementsOf(constants(Form.class));
    }

    private static List<String> values(Map<String, JsonNode> hints, String setting) {
        return Objects.requireNonNull(hints.get(OF_ONE + setting))
                .path("values")
                .valueStream()
                .map(each -> each.path("value").asString().toUpperCase(Locale.ROOT))
                .toList();
    }

    private static List<String> constants(Class<?> type) {
        return Arrays.stream(type.getEnumConstants()).map(Object::toString).toList();
    }

    /** The names in the first column of all tables with this head. */
    private static List<String> rows(String head) throws IOException {
        List<String> lines = Files.readAllLines(PAGE);
        return IntStream.range(0, lines.size())
                .filter(i -> lines.get(i).equals(head))
                .boxed()
                .flatMap(i -> lines.subList(i + 2, lines.size()).stream().takeWhile(line -> line.startsWith("|")))
                .map(line -> line.split("`", 3)[1])
                .toList();
    }

    private static String defaultOf(JsonNode property) {
        JsonNode value = property.path("defaultValue");
        return value.isMissingNode() ? "–" : "`" + value.asString() + "`";
    }

    /** A setting of a subscription, by its name in the properties. */
    private record Setting(String name, RecordComponent component) {

        String type() {
            Type type = component.getGenericType();
            return type == boolean.class
                    ? "java.lang.Boolean"
                    : type.getTypeName().replace(", ", ",");
        }

        String defaultValue() {
            return Arrays.stream(component
                            .getDeclaringRecord()
                            .getDeclaredConstructors()[0]
                            .getParameters())
                    .filter(each -> each.getName().equals(component.getName()))
                    .map(each -> each.getAnnotation(DefaultValue.class))
                    .map(each -> each == null ? "" : String.join(",", each.value()))
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static Stream<Setting> settings() {
        return settings("", SubscriptionProperties.class);
    }

    private static Stream<Setting> settings(String prefix, Class<?> group) {
        return Arrays.stream(group.getRecordComponents())
                .flatMap(each -> each.getType().isRecord()
                        ? settings(prefix + dashed(each) + ".", each.getType())
                        : Stream.of(new Setting(prefix + dashed(each), each)));
    }

    private static String dashed(RecordComponent component) {
        return component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private static List<String> names(List<JsonNode> properties) {
        return properties.stream().map(each -> each.path("name").asString()).toList();
    }

    private List<JsonNode> properties() throws IOException {
        return entries("properties");
    }

    private Map<String, JsonNode> byName(String kind) throws IOException {
        return entries(kind).stream()
                .collect(Collectors.toMap(each -> each.path("name").asString(), each -> each));
    }

    private List<JsonNode> entries(String kind) throws IOException {
        try (InputStream in = getClass().getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
            return JsonMapper.shared().readTree(in).path(kind).valueStream().toList();
        }
    }
}
