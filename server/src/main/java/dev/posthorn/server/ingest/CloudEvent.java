package dev.posthorn.server.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The attributes of a CloudEvent while they come in. It understands the extensions that our sinks write, so that one hub
 * takes what another sends; any other becomes a header of the event.
 */
final class CloudEvent {

    private static final Pattern NAME = Pattern.compile("[a-z0-9]{1,255}");

    private static final int LONGEST_VERSION = 10;

    private final EventDraft draft;
    /** Takes a field, by CloudEvents' name, and the rule that it breaks. */
    private final BiConsumer<String, String> refuse;

    private final Map<String, String> given = new LinkedHashMap<>();

    CloudEvent(EventDraft draft, BiConsumer<String, String> refuse) {
        this.draft = draft;
        this.refuse = refuse;
    }

    static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    void attribute(String name, @Nullable String value) {
        if (value != null && given.put(name, value) != null) {
            refuse.accept(name, "is given more than once; give it once");
        }
    }

    /** Puts all of them into the draft. */
    void end() {
        requireVersion();
        takeId();
        takeKey();
        given.forEach(this::take);
    }

    private void requireVersion() {
        String version = given.remove("specversion");
        if (version == null) {
            refuse.accept("specversion", "is missing; CloudEvents 1.0 are understood here");
        } else if (!version.equals("1.0")) {
            refuse.accept("specversion", "is not 1.0, the version that is understood here");
        }
    }

    /** What another hub knows it by is that hub's affair: by source and id it is the same event here. */
    private void takeId() {
        given.remove("posthornid");
        String id = given.remove("id");
        if (id == null) {
            refuse.accept("id", "is missing; every CloudEvent needs one");
        }
        draft.id(id);
    }

    private void takeKey() {
        String key = given.remove("partitionkey");
        String subject = given.get("subject");
        if (key == null || key.equals(subject)) {
            given.remove("subject");
        }
        draft.key(key == null ? subject : key);
    }

    private void take(String name, String value) {
        switch (name) {
            case "source" -> draft.source(value);
            case "type" -> draft.type(value);
            case "time" -> draft.occurredAt(value);
            case "datacontenttype" -> draft.contentType(value);
            case "aggregatetype" -> draft.aggregateType(value);
            case "eventversion" -> draft.version(version(value));
            default -> draft.header(name, value);
        }
    }

    private @Nullable Integer version(String value) {
        try {
            if (value.length() <= LONGEST_VERSION) {
                return Integer.valueOf(value);
            }
        } catch (NumberFormatException notANumber) {
            // refused below
        }
        refuse.accept("eventversion", "must be a whole number from 1 to " + Integer.MAX_VALUE);
        return null;
    }

    /** A JSON text whose content type is not JSON stands for its characters. */
    void endData(JsonBody at) {
        byte[] json = draft.json();
        if (json == null || draft.saysJson()) {
            return;
        }
        String text = at.textOf(json);
        if (text == null) {
            refuse.accept("data", "must be a text where datacontenttype is not JSON; or give data_base64");
        } else {
            draft.json(null);
            draft.bytes(text.getBytes(UTF_8));
        }
    }
}
