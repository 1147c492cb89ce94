package dev.posthorn.server.json;

import java.time.Duration;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.deser.std.StdDeserializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;

/** Reads JSON strictly: no unknown or repeated field, nothing too deep, no number of a thousand digits. */
public final class Json {

    private static final int LONGEST_NUMBER = 100;

    private Json() {}

    /** A mapper for documents nested at most so deep. */
    public static JsonMapper mapper(int depth) {
        return JsonMapper.builder(factory(depth))
                .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .enable(EnumFeature.READ_ENUMS_USING_TO_STRING)
                .enable(EnumFeature.WRITE_ENUMS_USING_TO_STRING)
                .addModule(new SimpleModule("posthorn")
                        .addSerializer(new DurationWriter())
                        .addDeserializer(Duration.class, new DurationReader()))
                .changeDefaultPropertyInclusion(
                        old -> old.withValueInclusion(com.fasterxml.jackson.annotation.JsonInclude.Include.NON_NULL))
                .build();
    }

    /** What reads and writes JSON token by token, under the same limits. */
    public static JsonFactory factory(int depth) {
        return JsonFactory.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(depth)
                        .maxNumberLength(LONGEST_NUMBER)
                        .build())
                .build();
    }

    private static final class DurationWriter extends StdSerializer<Duration> {

        DurationWriter() {
            super(Duration.class);
        }

        @Override
        public void serialize(Duration value, JsonGenerator json, SerializationContext context) {
            json.writeString(Durations.print(value));
        }
    }

    private static final class DurationReader extends StdDeserializer<Duration> {

        DurationReader() {
            super(Duration.class);
        }

        @Override
        public Duration deserialize(JsonParser json, DeserializationContext context) {
            String text = json.getString();
            Duration duration = Durations.parse(text);
            if (duration == null) {
                throw context.weirdStringException(
                        text, Duration.class, "not a duration; write it like 500ms, 30s, 5m, 2h or 7d");
            }
            return duration;
        }
    }
}
