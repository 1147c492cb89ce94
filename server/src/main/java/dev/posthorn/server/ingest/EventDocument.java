package dev.posthorn.server.ingest;

import io.swagger.v3.oas.annotations.media.Schema;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An event as it is published, for the API's description alone: what comes in is read without it. */
record EventDocument(
        @Schema(
                description =
                        "left out: the hub makes one. A UUID is kept as it is, any other text is unique per source")
        @Nullable
        String id,

        @Schema(description = "the service in which it happened", requiredMode = Schema.RequiredMode.REQUIRED)
        String source,

        @Schema(description = "what happened", requiredMode = Schema.RequiredMode.REQUIRED)
        String type,

        @Schema(description = "version of the type's content, from 1") @Nullable
        Integer version,

        @Schema(description = "what kind of thing it happened to") @Nullable
        String aggregateType,

        @Schema(description = "the ordering key, normally the aggregate's id") @Nullable
        String key,

        @Schema(description = "when it happened; left out: when it was recorded") @Nullable
        Instant occurredAt,

        @Schema(description = "not to be delivered before") @Nullable
        Instant deliverAt,

        @Nullable Map<String, String> headers,

        @Schema(description = "media type of the data") @Nullable
        String contentType,

        @Schema(description = "any JSON value; recorded as it was sent") @Nullable
        Object data,

        @Schema(description = "other content than JSON, instead of data") @Nullable
        String dataBase64) {}
