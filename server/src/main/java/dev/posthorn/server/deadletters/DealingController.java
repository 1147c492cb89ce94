package dev.posthorn.server.deadletters;

import dev.posthorn.audit.Actor;
import dev.posthorn.deadletter.CommandAnswer;
import dev.posthorn.deadletter.CommandTicket;
import dev.posthorn.deadletter.Commands;
import dev.posthorn.deadletter.DeadLetters;
import dev.posthorn.deadletter.Discards;
import dev.posthorn.deadletter.Notes;
import dev.posthorn.deadletter.Purges;
import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.database.Database;
import dev.posthorn.server.ingest.Sources;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.subscriptions.RelayKeeper;
import dev.posthorn.server.web.OutboundLimit;
import dev.posthorn.server.web.Parameters;
import dev.posthorn.server.web.UnreadableJson;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Gives dead letters up, purges them, lets their keys go on, and keeps notes about them. */
@RestController
@Tag(name = "Dead letters")
class DealingController {

    /** Owners that are other instances look for commands about once a second. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private static final String CHOICES = "dead letters to be chosen";

    private final Database database;
    private final DeadLetters letters;
    private final Commands commands;
    private final Discards discards;
    private final Purges purges;
    private final Notes notes;
    private final JsonMapper mapper;
    private final Sources sources;
    private final OutboundLimit outbound;

    DealingController(
            Database database, RelayKeeper relay, JsonMapper mapper, Sources sources, OutboundLimit outbound) {
        this.database = database;
        this.letters = new DeadLetters(database.looks(), database.schema());
        this.commands = new Commands(database.calls(), database.schema(), relay::tend);
        this.discards = new Discards(database.choices(), database.schema(), relay::tend);
        this.purges = new Purges(database.choices(), database.schema(), relay::tend);
        this.notes = new Notes(database.calls(), database.schema());
        this.mapper = mapper;
        this.sources = sources;
        this.outbound = outbound;
    }

    /**
     * What comes of a discard.
     *
     * @param matching how many dead letters were selected
     * @param discarding how many of them are given up
     * @param replaying how many are left out because they are being sent again
     * @param alreadyAsked how many are left out because somebody has asked for it already
     * @param discarded how many are given up by now; left out if that is not known yet, or if it was a dry run
     */
    record DiscardAnswer(
            long matching,
            long discarding,
            long replaying,
            long alreadyAsked,
            @Nullable Long discarded) {

        static DiscardAnswer of(Discards.Discard discard, @Nullable Long discarded) {
            return new DiscardAnswer(
                    discard.matching(), discard.discarding(), discard.replaying(), discard.alreadyAsked(), discarded);
        }
    }

    @Operation(
            summary = "Give dead letters up: one, several, those of a group, or those that a filter finds",
            description =
                    "200: done, or with dryRun only counted. 202: the subscriptions' relays have not done all of it"
                            + " within three seconds; they go on. 409: the one that was asked for is being sent again, or"
                            + " was discarded. A discarded dead letter is never delivered; it stays as a record of who"
                            + " discarded it and why.")
    @io.swagger.v3.oas.annotations.parameters.RequestBody(
            required = true,
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON_VALUE,
                            schema = @Schema(implementation = ChosenLetters.class)))
    @PostMapping(
            path = "/v1/dlt-messages/discard",
            consumes = MediaType.APPLICATION_JSON_VALUE,
            produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.OPERATOR})
    ResponseEntity<DiscardAnswer> discard(@RequestBody(required = false) byte @Nullable [] body, Actor actor) {
        ChosenLetters chosen = choice(body);
        if (chosen.isDryRun()) {
            return ResponseEntity.ok(
                    DiscardAnswer.of(outbound.on(CHOICES, () -> discards.preview(chosen.open(sources))), null));
        }
        String reason = chosen.requireReason("a discarded event is never delivered: say why");
        return chosen.id() == null
                ? discardAll(outbound.on(CHOICES, () -> discards.discard(chosen.open(sources), actor, reason)))
                : discardOne(commands.discard(chosen.id(), actor, reason));
    }

    /** What is chosen; a single letter has to be there, also for a dry run. */
    private ChosenLetters choice(byte @Nullable [] body) {
        ChosenLetters chosen = read(body, ChosenLetters.class);
        chosen.requireOneSelection();
        database.requireReady();
        if (chosen.id() != null && chosen.isDryRun()) {
            letters.get(chosen.id());
        }
        return chosen;
    }

    private ResponseEntity<DiscardAnswer> discardOne(CommandTicket ticket) {
        Optional<CommandAnswer> answer = answer(ticket);
        return ResponseEntity.status(status(answer.isPresent()))
                .body(new DiscardAnswer(1, 1, 0, 0, answer.isPresent() ? 1L : null));
    }

    private ResponseEntity<DiscardAnswer> discardAll(Discards.Discard discard) {
        boolean isAwaited = discard.discarding() == discard.commands().size();
        Discards.Progress progress = isAwaited ? discards.await(discard, PATIENCE) : new Discards.Progress(1, 0);
        boolean done = progress.open() == 0;
        return ResponseEntity.status(status(done)).body(DiscardAnswer.of(discard, done ? progress.discarded() : null));
    }

    /**
     * What comes of a purge.
     *
     * @param matching how many dead letters were selected
     * @param purging how many of them are removed
     * @param replaying how many are left out because they are being sent again
     * @param alreadyAsked how many are left out because somebody has asked for it already
     * @param purged how many are gone by now; left out if that is not known yet, or if it was a dry run
     */
    record PurgeAnswer(
            long matching,
            long purging,
            long replaying,
            long alreadyAsked,
            @Nullable Long purged) {

        static PurgeAnswer of(Purges.Purge purge, @Nullable Long purged) {
            return new PurgeAnswer(purge.matching(), purge.purging(), purge.replaying(), purge.alreadyAsked(), purged);
        }
    }

    @Operation(
            summary = "Remove dead letters for good: one, several, those of a group, or those that a filter finds",
            description =
                    "200: done, or with dryRun only counted. 202: the subscriptions' relays have not done all of it"
                            + " within three seconds; they go on. 409: the one that was asked for is being sent again."
                            + " Nothing is left of a purged dead letter but the audit, which names it; its event is"
                            + " never delivered to that subscription, and its key goes on. Discarded ones are purged too,"
                            + " if they are named, or if the filter says so.")
    @io.swagger.v3.oas.annotations.parameters.RequestBody(
            required = true,
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON_VALUE,
                            schema = @Schema(implementation = ChosenLetters.class)))
    @PostMapping(
            path = "/v1/dlt-messages/purge",
            consumes = MediaType.APPLICATION_JSON_VALUE,
            produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.OPERATOR})
    ResponseEntity<PurgeAnswer> purge(@RequestBody(required = false) byte @Nullable [] body, Actor actor) {
        ChosenLetters chosen = choice(body);
        if (chosen.isDryRun()) {
            return ResponseEntity.ok(
                    PurgeAnswer.of(outbound.on(CHOICES, () -> purges.preview(chosen.all(sources))), null));
        }
        String reason = chosen.requireReason("a purged dead letter is gone for good: say why");
        return chosen.id() == null
                ? purgeAll(outbound.on(CHOICES, () -> purges.purge(chosen.all(sources), actor, reason)))
                : purgeOne(commands.purge(chosen.id(), actor, reason));
    }

    private ResponseEntity<PurgeAnswer> purgeOne(CommandTicket ticket) {
        boolean done = answer(ticket).isPresent();
        return ResponseEntity.status(status(done)).body(new PurgeAnswer(1, 1, 0, 0, done ? 1L : null));
    }

    private ResponseEntity<PurgeAnswer> purgeAll(Purges.Purge purge) {
        boolean isAwaited = purge.purging() == purge.commands().size();
        Purges.Progress progress = isAwaited ? purges.await(purge, PATIENCE) : new Purges.Progress(1, 0);
        boolean done = progress.open() == 0;
        return ResponseEntity.status(status(done)).body(PurgeAnswer.of(purge, done ? progress.purged() : null));
    }

    /**
     * What came of it.
     *
     * @param command the number under which it was asked of the lane's owner
     * @param answer what the owner says; left out if it has not come to it yet
     */
    record ReleaseAnswer(
            long command, @Nullable String answer, @Nullable Instant answeredAt) {}

    @Operation(
            summary = "Let the key of a dead letter go on without it; the dead letter stays",
            description =
                    "200: the key goes on. 202: the subscription's relay has not answered within three seconds and"
                            + " will do it. 409: the dead letter holds no key.")
    @PostMapping(path = "/v1/dlt-messages/{id}/release", produces = MediaType.APPLICATION_JSON_VALUE)
    @Allowed({Role.OPERATOR})
    ResponseEntity<ReleaseAnswer> release(@PathVariable String id, Actor actor) {
        long number = DeadLetterController.id(id);
        database.requireReady();
        CommandTicket ticket = commands.release(number, actor);
        Optional<CommandAnswer> answer = answer(ticket);
        return ResponseEntity.status(status(answer.isPresent()))
                .body(new ReleaseAnswer(
                        ticket.id(),
                        answer.map(CommandAnswer::text).orElse(null),
                        answer.map(CommandAnswer::answeredAt).orElse(null)));
    }

    /** What the lane's owner says; that it did nothing is a conflict. */
    private Optional<CommandAnswer> answer(CommandTicket ticket) {
        Optional<CommandAnswer> answer = commands.await(ticket.id(), PATIENCE);
        if (answer.isPresent() && answer.get().text().startsWith("nothing")) {
            throw Problem.of(ProblemType.CONFLICT, answer.get().text()).asException();
        }
        return answer;
    }

    private static HttpStatus status(boolean done) {
        return done ? HttpStatus.OK : HttpStatus.ACCEPTED;
    }

    /**
     * What to know about a group.
     *
     * @param note left out, or null: takes it away
     */
    record NoteRequest(
            @Nullable String subscriberId,
            @Nullable String errorClass,
            @Nullable String cause,
            @Nullable String note) {}

    @Operation(
            summary = "Write a note about a group of dead letters, or take it away",
            description = "The group is named as the list of groups names it. Without note, or with null, the note that"
                    + " there is is taken away.")
    @io.swagger.v3.oas.annotations.parameters.RequestBody(
            required = true,
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON_VALUE,
                            schema = @Schema(implementation = NoteRequest.class)))
    @PutMapping(path = "/v1/dlt-messages/groups/note", consumes = MediaType.APPLICATION_JSON_VALUE)
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @Allowed({Role.OPERATOR})
    void note(@RequestBody(required = false) byte @Nullable [] body, Actor actor) {
        NoteRequest request = read(body, NoteRequest.class);
        Notes.Group group = new Notes.Group(
                required("subscriberId", request.subscriberId()),
                required("errorClass", request.errorClass()),
                required("cause", request.cause()));
        database.requireReady();
        if (request.note() == null) {
            notes.clear(group, actor);
        } else {
            notes.set(group, request.note(), actor);
        }
    }

    private static String required(String field, @Nullable String value) {
        if (value == null || value.isBlank()) {
            throw Parameters.refused(field, "is missing; take it from the group as it is listed");
        }
        return value;
    }

    private <T> T read(byte @Nullable [] body, Class<T> type) {
        try {
            T read = mapper.readValue(Objects.requireNonNullElse(body, new byte[0]), type);
            if (read != null) {
                return read;
            }
        } catch (JacksonException e) {
            throw Problem.violated(ProblemType.INVALID_REQUEST, UnreadableJson.violation(e))
                    .asException();
        }
        throw Parameters.refused("", "the body is null; send a JSON object");
    }
}
