package dev.posthorn.kafka;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import dev.posthorn.event.Event;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A topic's name with placeholders for an event's fields. */
final class TopicTemplate {

    private static final int MAX_LENGTH = 249;
    private static final Pattern LEGAL = Pattern.compile("[A-Za-z0-9._-]*");
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{([^{}]*)}");

    /** A field that may stand in a template. */
    private enum Field {
        AGGREGATE_TYPE("aggregateType"),
        TYPE("type"),
        SOURCE("source");

        private final String name;

        Field(String name) {
            this.name = name;
        }

        String of(Event event) {
            return switch (this) {
                case AGGREGATE_TYPE -> aggregateType(event);
                case TYPE -> event.type();
                case SOURCE -> event.source();
            };
        }

        private static String aggregateType(Event event) {
            String aggregateType = event.aggregateType();
            if (aggregateType != null) {
                return aggregateType;
            }
            int dot = event.type().indexOf('.');
            return dot < 0 ? event.type() : event.type().substring(0, dot);
        }
    }

    private final String template;

    /** Text and fields in turn: a field follows each text but the last. */
    private final List<String> texts = new ArrayList<>();

    private final List<Field> fields = new ArrayList<>();

    private TopicTemplate(String template) {
        this.template = template;
        Matcher placeholder = PLACEHOLDER.matcher(template);
        int from = 0;
        while (placeholder.find()) {
            texts.add(literal(template.substring(from, placeholder.start())));
            fields.add(field(placeholder.group(1)));
            from = placeholder.end();
        }
        texts.add(literal(template.substring(from)));
    }

    static TopicTemplate of(String template) {
        TopicTemplate parsed = new TopicTemplate(template);
        if (parsed.fields.isEmpty()) {
            parsed.requireLegal(template);
        }
        return parsed;
    }

    /** A template for one type: with nothing but the type to fill in, the name is known now. */
    static TopicTemplate of(String template, String type) {
        TopicTemplate parsed = new TopicTemplate(template);
        if (parsed.fields.stream().allMatch(field -> field == Field.TYPE)) {
            parsed.requireLegal(template.replace("{type}", type));
        }
        return parsed;
    }

    private void requireLegal(String name) {
        String rule = brokenRule(name);
        if (rule != null) {
            throw refuse("gives the topic '" + name + "', but " + rule);
        }
    }

    private String literal(String text) {
        if (!LEGAL.matcher(text).matches()) {
            throw refuse("holds '" + text + "'; beside placeholders it may hold letters, digits, '.', '_' and '-'");
        }
        return text;
    }

    private Field field(String name) {
        return Arrays.stream(Field.values())
                .filter(field -> field.name.equals(name))
                .findFirst()
                .orElseThrow(() -> refuse("has the unknown placeholder {" + name + "}; known are "
                        + Arrays.stream(Field.values())
                                .map(field -> "{" + field.name + "}")
                                .collect(Collectors.joining(", "))));
    }

    private PosthornException refuse(String problem) {
        return new PosthornException(
                ErrorCode.INVALID_SETTING, "Kafka sink: the topic template '" + template + "' " + problem);
    }

    String topicOf(Event event) {
        StringBuilder name = new StringBuilder(texts.get(0));
        for (int i = 0; i < fields.size(); i++) {
            name.append(fields.get(i).of(event)).append(texts.get(i + 1));
        }
        return name.toString();
    }

    /** Kafka's rule that a name breaks; null for a legal name. */
    static @Nullable String brokenRule(String name) {
        if (name.isEmpty() || name.length() > MAX_LENGTH) {
            return "a topic's name has 1 to " + MAX_LENGTH + " characters, this one " + name.length();
        }
        if (name.equals(".") || name.equals("..")) {
            return "a topic cannot be named '.' or '..'";
        }
        return LEGAL.matcher(name).matches() ? null : "a topic's name holds only letters, digits, '.', '_' and '-'";
    }

    @Override
    public String toString() {
        return template;
    }
}
