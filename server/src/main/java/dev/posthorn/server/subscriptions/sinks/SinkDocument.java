package dev.posthorn.server.subscriptions.sinks;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import dev.posthorn.server.documents.RequiredFields;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.sink.Sink;
import java.util.Optional;

/** Where a subscription's events go, as its document says it. */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
@JsonSubTypes({
    @JsonSubTypes.Type(name = "http", value = HttpDocument.class),
    @JsonSubTypes.Type(name = "kafka", value = KafkaDocument.class),
    @JsonSubTypes.Type(name = "guard", value = GuardDocument.class)
})
public sealed interface SinkDocument extends RequiredFields permits HttpDocument, KafkaDocument, GuardDocument {

    /** The sink of a document in which nothing is missing; a setting that cannot be used is a problem that names it. */
    Sink build(SinkContext context);

    /** Why nothing can be sent there at present, by a look that may take some seconds. */
    Optional<Violation> refusal(Sink built, SinkContext context);
}
