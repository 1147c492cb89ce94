package dev.posthorn.server.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.Yaml;

/**
 * Evaluates the rules of docs/alerts.yaml by what two scrapes say: a rate or an increase is what was counted between them.
 * For how long a rule has to hold is not looked at. A rule of a form that it does not know is refused.
 */
final class Alerts {

    private static final Pattern SERIES = Pattern.compile("(?m)^(\\w+)(?:\\{([^}]*)})? (\\S+)$");

    private static final Pattern LEAST = Pattern.compile("min\\((\\w+)\\) == ([0-9.]+)");
    private static final Pattern MOST = Pattern.compile("max by \\((\\w+)\\) \\((\\w+)(?: - (\\w+))?\\) > ([0-9.]+)");
    private static final Pattern COUNTED =
            Pattern.compile("sum by \\((\\w+)\\) \\((?:rate|increase)\\((\\w+)(\\{.*})?\\[\\w+]\\)\\)");
    private static final Pattern GREATER = Pattern.compile("(.*) > ([0-9.]+)");

    private final List<Map<String, Object>> rules;

    private Alerts(List<Map<String, Object>> rules) {
        this.rules = rules;
    }

    @SuppressWarnings("unchecked")
    static Alerts read() throws IOException {
        Map<String, List<Map<String, Object>>> document =
                new Yaml().load(Files.readString(Path.of("../docs/alerts.yaml")));
        return new Alerts(document.get("groups").stream()
                .flatMap(group -> ((List<Map<String, Object>>) group.get("rules")).stream())
                .toList());
    }

    List<Map<String, Object>> rules() {
        return rules;
    }

    Set<String> names() {
        return rules.stream()
                .map(rule -> String.valueOf(rule.get("alert")))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Those that hold, each with whom it is about. */
    Map<String, Set<String>> firing(Scrape before, Scrape now) {
        Map<String, Set<String>> firing = new TreeMap<>();
        for (Map<String, Object> rule : rules) {
            Set<String> about = about(String.valueOf(rule.get("expr")), before, now);
            if (!about.isEmpty()) {
                firing.put(String.valueOf(rule.get("alert")), about);
            }
        }
        return firing;
    }

    private static Set<String> about(String expression, Scrape before, Scrape now) {
        Matcher least = LEAST.matcher(expression);
        if (least.matches()) {
            double value = values(now, least.group(1), "", "").values().stream()
                    .mapToDouble(each -> each)
                    .min()
                    .orElse(Double.NaN);
            return value == Double.parseDouble(least.group(2)) ? Set.of("all") : Set.of();
        }
        Matcher most = MOST.matcher(expression);
        if (most.matches()) {
            Map<String, Double> values = values(now, most.group(2), "", most.group(1));
            if (most.group(3) != null) {
                values(now, most.group(3), "", most.group(1))
                        .forEach((who, less) -> values.merge(who, -less, Double::sum));
            }
            return above(values, most.group(4));
        }
        Matcher greater = GREATER.matcher(expression);
        if (!greater.matches()) {
            throw new IllegalStateException("no form that is known: " + expression);
        }
        return above(quotient(greater.group(1), before, now), greater.group(2));
    }

    /** What was counted, or the part that it is of something else that was. */
    private static Map<String, Double> quotient(String expression, Scrape before, Scrape now) {
        List<MatchResult> counted = COUNTED.matcher(expression).results().toList();
        String rest = COUNTED.matcher(expression).replaceAll("");
        if (counted.isEmpty() || counted.size() > 2 || !rest.strip().equals(counted.size() == 2 ? "/" : "")) {
            throw new IllegalStateException("no form that is known: " + expression);
        }
        Map<String, Double> values = increase(counted.get(0), before, now);
        if (counted.size() == 2) {
            Map<String, Double> whole = increase(counted.get(1), before, now);
            values.replaceAll((who, part) -> part / whole.getOrDefault(who, Double.NaN));
        }
        return values;
    }

    private static Map<String, Double> increase(MatchResult counted, Scrape before, Scrape now) {
        String labels = counted.group(3) == null ? "" : counted.group(3);
        Map<String, Double> values = values(now, counted.group(2), labels, counted.group(1));
        values(before, counted.group(2), labels, counted.group(1))
                .forEach((who, then) -> values.merge(who, -then, Double::sum));
        return values;
    }

    private static Set<String> above(Map<String, Double> values, String threshold) {
        return values.entrySet().stream()
                .filter(each -> each.getValue() > Double.parseDouble(threshold))
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The sums of a metric by a label, of the series that a selector such as {@code {outcome!="delivered"}} wants. */
    private static Map<String, Double> values(Scrape scrape, String metric, String selector, String label) {
        Map<String, Double> values = new TreeMap<>();
        SERIES.matcher(scrape.text())
                .results()
                .filter(series -> series.group(1).equals(metric) && isWanted(labels(series), selector))
                .forEach(series -> values.merge(
                        label.isEmpty() ? "all" : value(labels(series), label),
                        Double.parseDouble(series.group(3)),
                        Double::sum));
        return values;
    }

    private static String labels(MatchResult series) {
        return series.group(2) == null ? "" : series.group(2);
    }

    private static String value(String labels, String label) {
        Matcher found = Pattern.compile("(?:^|,)" + label + "=\"([^\"]*)\"").matcher(labels);
        return found.find() ? found.group(1) : "";
    }

    private static boolean isWanted(String labels, String selector) {
        Matcher wanted = Pattern.compile("\\{(\\w+)(!?=)\"([^\"]*)\"}").matcher(selector);
        if (!wanted.matches()) {
            return selector.isEmpty();
        }
        return value(labels, wanted.group(1)).equals(wanted.group(3))
                == wanted.group(2).equals("=");
    }
}
