package dev.posthorn.spring.setup;

import dev.posthorn.error.PosthornException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** A database that cannot be reached, lets nobody in, or does not let Posthorn do what it has to, in its own words. */
final class DatabaseFailureAnalyzer extends AbstractFailureAnalyzer<SQLException> {

    private static final String WHERE =
            "spring.datasource.url (or of the DataSource bean that posthorn.data-source or posthorn.relay.data-source"
                    + " names)";

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, SQLException cause) {
        SQLException answer = answer(cause);
        String state = answer.getSQLState();
        if (state == null) {
            return null;
        }
        if (state.equals("42501")) {
            PosthornException ours = findCause(rootFailure, PosthornException.class);
            return ours == null ? null : new FailureAnalysis(sentence(ours), permission(ours), rootFailure);
        }
        String remedy = remedy(state);
        return remedy == null
                ? null
                : new FailureAnalysis("The database does not answer: " + sentence(answer), remedy, rootFailure);
    }

    /** What PostgreSQL itself said: pools wrap it into a failure of their own. */
    private static SQLException answer(SQLException first) {
        SQLException deepest = first;
        for (Throwable each = first; each != null; each = each.getCause()) {
            if (each instanceof SQLException found && found.getSQLState() != null) {
                deepest = found;
            }
        }
        return deepest;
    }

    private static @Nullable String remedy(String state) {
        if (state.startsWith("08")) {
            return "Start PostgreSQL, or correct host and port in " + WHERE
                    + ". If it starts together with the application, let the application start after it.";
        }
        return switch (state) {
            case "28P01" ->
                "Correct spring.datasource.username and spring.datasource.password, or user and password in " + WHERE
                        + ".";
            case "28000" ->
                "Correct spring.datasource.username, or user in " + WHERE
                        + "; or let the server's pg_hba.conf admit this user from this host.";
            case "3D000" -> "Create it (CREATE DATABASE …), or correct the name at the end of " + WHERE + ".";
            case "53300" ->
                "Raise max_connections of the server, or lower spring.datasource.hikari.maximum-pool-size: the relay"
                        + " has posthorn.relay.workers + 3 connections beside the application's pool.";
            default -> null;
        };
    }

    private static String permission(PosthornException refused) {
        return String.valueOf(refused.getMessage()).startsWith("installing")
                ? "Let the user create the tables (GRANT CREATE ON DATABASE … TO …), or let somebody who may do it:"
                        + " posthorn.schema.install=flyway runs it with Flyway's user, and with none an owner runs the"
                        + " script that ./posthorn schema prints before the application starts."
                : "Give the user the role of a writer or a relay that ./posthorn schema --roles prints, for what"
                        + " posthorn.role says that this application does.";
    }

    private static String sentence(Exception failure) {
        String message = String.valueOf(failure.getMessage()).strip();
        return message.endsWith(".") ? message : message + ".";
    }
}
