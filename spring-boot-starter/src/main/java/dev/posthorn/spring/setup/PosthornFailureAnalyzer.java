package dev.posthorn.spring.setup;

import dev.posthorn.error.ErrorCode;
import dev.posthorn.error.PosthornException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** What the library refuses, with the remedy in the words of a Spring Boot application. */
final class PosthornFailureAnalyzer extends AbstractFailureAnalyzer<PosthornException> {

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, PosthornException cause) {
        String remedy = remedy(cause.code());
        return remedy == null ? null : new FailureAnalysis(cause.getMessage() + ".", remedy, cause);
    }

    private static @Nullable String remedy(ErrorCode code) {
        return switch (code) {
            case SCHEMA_MISMATCH ->
                "Choose who installs Posthorn's tables: posthorn.schema.install=startup lets the application do it, flyway"
                        + " makes it part of your Flyway migrations, and with none run the script that ./posthorn schema"
                        + " prints before the application starts. posthorn.schema.name has to be the schema that holds"
                        + " them.";
            case INVALID_SETTING ->
                "Correct the property under 'posthorn' that the message names. If it is about connections, let"
                        + " posthorn.relay.data-source name a DataSource bean that leads directly to PostgreSQL.";
            case UNSUPPORTED_DATABASE ->
                "Let spring.datasource.url, or the DataSource bean that posthorn.data-source names, lead to a"
                        + " PostgreSQL that is new enough: events are recorded in the same database as your business"
                        + " data.";
            case CLUSTER_CHANGED ->
                "Call new Rebase(dataSource, SchemaName.DEFAULT).run() once, as the owner of the schema, while nobody"
                        + " writes events; then start the application again. See docs/operating.md, \"A move to another"
                        + " cluster\".";
            case IN_RECOVERY -> "Let posthorn.data-source, or spring.datasource.url, point to the primary server.";
            default -> null;
        };
    }
}
