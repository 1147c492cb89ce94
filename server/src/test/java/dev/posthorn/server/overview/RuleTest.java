package dev.posthorn.server.overview;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.server.json.Durations;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

class RuleTest {

    private static List<Map<String, Object>> ofPrometheus() throws Exception {
        Map<String, List<Map<String, List<Map<String, Object>>>>> file =
                new Yaml().load(Files.readString(Path.of("..", "docs", "alerts.yaml")));
        List<Map<String, Object>> rules = new ArrayList<>();
        file.getOrDefault("groups", List.of()).forEach(group -> rules.addAll(group.getOrDefault("rules", List.of())));
        return rules;
    }

    @Test
    void theHubsAlertsAreThoseOfPrometheusWithTheirSeveritiesAndTimes() throws Exception {
        List<String> expected = ofPrometheus().stream()
                .map(rule -> rule.get("alert") + " " + rule.get("labels") + " for " + time(rule.get("for")))
                .toList();
        assertThat(Arrays.stream(Rule.values())
                        .filter(rule -> rule != Rule.DATABASE_AWAY)
                        .map(rule -> rule.label() + " {severity="
                                + rule.severity().name().toLowerCase(Locale.ROOT) + "} for " + rule.holdsFor()))
                .containsExactlyInAnyOrderElementsOf(expected.stream()
                        .filter(rule -> !rule.startsWith(Rule.DATABASE_AWAY.label()))
                        .toList());
    }

    private static Duration time(Object text) {
        Duration time = text == null ? Duration.ZERO : Durations.parse(text.toString());
        assertThat(time).isNotNull();
        return time;
    }

    @Test
    void theLimitsAreTheSame() throws Exception {
        Map<Rule, String> limits = Map.of(
                Rule.BACKLOG, "> " + Rule.MANY_PENDING,
                Rule.BACKLOG_OLD, "> " + Rule.OLD.toSeconds(),
                Rule.DEAD_LETTERS_STAY, "> " + Rule.STAYS.toSeconds(),
                Rule.SLOW, "> " + Rule.SLOW_FROM.toSeconds(),
                Rule.MANY_RETRIES, "> " + Rule.MANY_FAIL,
                Rule.DEAD_LETTERS, "> 0",
                Rule.STUCK, "> 0");
        List<Map<String, Object>> all = ofPrometheus();
        limits.forEach((rule, limit) -> assertThat(all)
                .filteredOn(each -> rule.label().equals(each.get("alert")))
                .singleElement()
                .satisfies(
                        each -> assertThat(each.get("expr").toString().strip()).endsWith(limit)));
    }
}
