package dev.posthorn.faults.proof;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.Yaml;

/**
 * A rule of docs/alerts.yaml that holds a gauge of a subscription against a threshold.
 *
 * @param lasting for how long it has to hold before it fires
 */
record AlertRule(String metric, double threshold, Duration lasting) {

    private static final Path FILE = Path.of("..", "docs", "alerts.yaml");
    private static final Pattern EXPRESSION = Pattern.compile("max by \\(subscription\\) \\((\\w+)\\) > ([0-9.]+)");

    static AlertRule named(String name) throws IOException {
        Map<String, Object> rule = rules().stream()
                .filter(each -> name.equals(each.get("alert")))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no alert " + name + " in " + FILE));
        Matcher expression = EXPRESSION.matcher(String.valueOf(rule.get("expr")));
        if (!expression.matches()) {
            throw new IllegalStateException(name + " is no comparison of a gauge with a threshold: " + rule);
        }
        String lasting = String.valueOf(rule.getOrDefault("for", "0m"));
        return new AlertRule(
                expression.group(1),
                Double.parseDouble(expression.group(2)),
                Duration.parse("PT" + lasting.toUpperCase(Locale.ROOT)));
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> rules() throws IOException {
        try (Reader text = Files.newBufferedReader(FILE)) {
            Map<String, List<Map<String, Object>>> file = new Yaml().load(text);
            return (List<Map<String, Object>>) file.get("groups").get(0).get("rules");
        }
    }

    boolean holds(double value) {
        return value > threshold;
    }
}
