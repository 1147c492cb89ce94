package dev.posthorn.server.ingest;

import dev.posthorn.event.Event;
import dev.posthorn.event.EventLimits;
import dev.posthorn.server.json.Texts;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.TokenStreamContext;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;
import tools.jackson.core.json.JsonFactory;

/**
 * A request's JSON, read token by token from its bytes: thousands of events a request leave no time for trees, and the
 * data of each has to stay as it was written.
 */
final class JsonBody {

    /** What does not differ from one request to the next. */
    record Rules(JsonFactory factory, EventLimits limits, int batch, int depth, boolean idNeeded) {

        /** The same, for those who have to know an event again. */
        Rules needingIds() {
            return new Rules(factory, limits, batch, depth, true);
        }
    }

    private final Rules rules;
    private final byte[] body;
    private final EventForm form;
    private final TraceContext trace;
    private final Refusals refusals;
    private final JsonParser parser;

    private JsonBody(Rules rules, byte[] body, EventForm form, TraceContext trace, JsonParser parser) {
        this.rules = rules;
        this.body = body;
        this.form = form;
        this.trace = trace;
        this.refusals = new Refusals(form.names());
        this.parser = parser;
    }

    /** Reads one event, and an array of them only if the form allows it. */
    static Batch read(Rules rules, byte[] body, EventForm form, TraceContext trace, Shape shape) {
        requireUtf8(body);
        try (JsonParser parser = rules.factory().createParser(ObjectReadContext.empty(), body)) {
            return new JsonBody(rules, body, form, trace, parser).read(shape);
        }
    }

    /** What a body may be. */
    enum Shape {
        ONE("must be one event, a JSON object"),
        ARRAY("must be an array of events"),
        EITHER("must be one event, a JSON object, or an array of them");

        private final String rule;

        Shape(String rule) {
            this.rule = rule;
        }
    }

    /** The parser would guess other encodings from NULs and marks at the beginning. */
    private static void requireUtf8(byte[] body) {
        boolean other = !Texts.isUtf8(body);
        for (int i = 0; i < Math.min(4, body.length); i++) {
            other |= body[i] == 0;
        }
        if (other) {
            throw refused("is not UTF-8; send JSON in UTF-8");
        }
    }

    private static RuntimeException refused(String rule) {
        return Problem.of(ProblemType.INVALID_REQUEST, "the body " + rule).asException();
    }

    private Batch read(Shape shape) {
        try {
            JsonToken first = parser.nextToken();
            if (first == null) {
                throw refused("is empty; it " + shape.rule);
            }
            boolean array = first == JsonToken.START_ARRAY;
            if ((first != JsonToken.START_OBJECT && !array) || shape == (array ? Shape.ONE : Shape.ARRAY)) {
                throw refused(shape.rule);
            }
            Batch batch = new Batch(array ? array() : single(), array, refusals);
            if (parser.nextToken() != null) {
                throw refused("goes on after its end; send one JSON value");
            }
            refusals.throwIfAny();
            return batch;
        } catch (JacksonException e) {
            throw notJson(e);
        }
    }

    private List<Event> single() {
        refusals.begin(null);
        Event event = event();
        return event == null ? List.of() : List.of(event);
    }

    private List<Event> array() {
        List<Event> events = new ArrayList<>();
        int count = 0;
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            requireRoomFor(count + 1);
            refusals.begin(count++);
            Event event = event();
            if (event != null) {
                events.add(event);
            }
        }
        if (count == 0) {
            throw refused("holds no event; send at least one");
        }
        return events;
    }

    private void requireRoomFor(int count) {
        if (count > rules.batch()) {
            throw Problem.of(
                            ProblemType.TOO_LARGE,
                            "the request holds more than " + rules.batch()
                                    + " events (posthorn.limits.batch); send fewer at a time")
                    .asException();
        }
    }

    private @Nullable Event event() {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            refuse("", "must be an event, a JSON object");
            return null;
        }
        EventDraft draft = new EventDraft(refusals);
        EventForm.Reading reading = form.begin(draft, this);
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            parser.nextToken();
            reading.field(name, this);
        }
        reading.end(this);
        if (rules.idNeeded() && !draft.hasId()) {
            missing("id", "is missing; give it, because by its id the event is known if it comes again");
        }
        return draft.finish(rules.limits(), trace);
    }

    /** Refuses the value that the parser stands on, and steps over it. */
    void refuse(String field, String rule) {
        parser.skipChildren();
        refusals.add(field, rule);
    }

    /** Refuses something about the event as a whole. */
    void missing(String field, String rule) {
        refusals.add(field, rule);
    }

    /** A text, whose characters the core will judge; null if it is null, which counts as left out, or was refused. */
    @Nullable
    String text(String field) {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.VALUE_NULL) {
            return null;
        }
        if (token != JsonToken.VALUE_STRING) {
            refuse(field, "must be a text");
            return null;
        }
        return parser.getString();
    }

    /** A text, or what stands for a number or a truth value as it was written. */
    @Nullable
    String scalar(String field) {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.VALUE_NULL || token == JsonToken.VALUE_STRING) {
            return text(field);
        }
        if (!token.isScalarValue()) {
            refuse(field, "must be a text, a number or a truth value");
            return null;
        }
        return parser.getString();
    }

    @Nullable
    Integer integer(String field) {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.VALUE_NULL) {
            return null;
        }
        if (token != JsonToken.VALUE_NUMBER_INT || parser.getNumberType() != JsonParser.NumberType.INT) {
            refuse(field, "must be a whole number from 1 to " + Integer.MAX_VALUE);
            return null;
        }
        return parser.getIntValue();
    }

    /** Gives each member of an object of texts to the draft. */
    void headers(String field, EventDraft draft) {
        if (parser.currentToken() == JsonToken.VALUE_NULL) {
            return;
        }
        if (parser.currentToken() != JsonToken.START_OBJECT) {
            refuse(field, "must be an object of texts");
            return;
        }
        for (String name = parser.nextName(); name != null; name = parser.nextName()) {
            parser.nextToken();
            header(field + "." + Texts.quote(name), name, draft);
        }
    }

    private void header(String field, String name, EventDraft draft) {
        if (parser.currentToken() != JsonToken.VALUE_STRING) {
            refuse(field, "must be a text");
            return;
        }
        draft.header(name, parser.getString());
    }

    /** The very bytes of the value; null if it is null. */
    byte @Nullable [] raw() {
        if (parser.currentToken() == JsonToken.VALUE_NULL) {
            return null;
        }
        long start = parser.currentTokenLocation().getByteOffset();
        parser.skipChildren();
        parser.finishToken();
        return Arrays.copyOfRange(
                body, (int) start, (int) parser.currentLocation().getByteOffset());
    }

    /** The text that these bytes are as JSON; null if they are another value. */
    @Nullable
    String textOf(byte[] json) {
        try (JsonParser value = rules.factory().createParser(ObjectReadContext.empty(), json)) {
            return value.nextToken() == JsonToken.VALUE_STRING ? value.getString() : null;
        }
    }

    /** Says what is wrong without the words of the parser, which quote what was sent and speak of Java. */
    private RuntimeException notJson(JacksonException error) {
        String place = place(parser.streamReadContext());
        String rule;
        if (error instanceof UnexpectedEndOfInputException) {
            rule = "the body ends in the middle of the JSON";
        } else if (error instanceof StreamConstraintsException) {
            rule = "is nested deeper than " + rules.depth()
                    + " levels (posthorn.limits.depth), or holds a name or a number that is too long";
        } else if (String.valueOf(error.getOriginalMessage()).startsWith("Duplicate")) {
            rule = "is given more than once; give it once";
        } else {
            rule = "is not JSON from byte " + error.getLocation().getByteOffset() + " of the body on";
        }
        Violation violation = Violation.of(place, rule);
        return Problem.violated(ProblemType.INVALID_REQUEST, withItem(violation))
                .asException();
    }

    private Violation withItem(Violation violation) {
        TokenStreamContext top = parser.streamReadContext();
        while (!top.inRoot() && top.getParent() != null && !top.getParent().inRoot()) {
            top = top.getParent();
        }
        return top.inArray() && top.hasCurrentIndex() ? violation.ofItem(top.getCurrentIndex()) : violation;
    }

    private static String place(TokenStreamContext context) {
        TokenStreamContext parent = context.getParent();
        String before = parent == null ? "" : place(parent);
        if (context.inArray() && context.hasCurrentIndex()) {
            return before + "[" + context.getCurrentIndex() + "]";
        }
        if (context.inObject() && context.currentName() != null) {
            return before + (before.isEmpty() ? "" : ".") + Texts.quote(context.currentName());
        }
        return before;
    }
}
