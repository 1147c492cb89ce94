package dev.posthorn.server.access;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.posthorn.audit.Actor;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import dev.posthorn.server.problem.Violation;
import dev.posthorn.server.web.Page;
import dev.posthorn.server.web.PageToken;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.net.URI;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Creates, shows and revokes API keys. */
@RestController
@RequestMapping("/v1/keys")
@Tag(name = "keys")
class KeysController {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    private static final Pattern PATTERN = Pattern.compile("[!-~]{1,255}");
    private static final int MOST_PATTERNS = 100;

    private final Keys keys;

    KeysController(Keys keys) {
        this.keys = keys;
    }

    /**
     * What is asked for.
     *
     * @param payload whether it sees payloads unmasked; left out: an admin's does, others do not
     * @param sources of a publisher: what it may publish, as patterns of which one has to match; left out: any
     * @param types the same
     */
    record NewKey(
            @Nullable String name,
            @Nullable Role role,
            @Nullable Boolean payload,
            @Nullable List<String> sources,
            @Nullable List<String> types) {}

    /**
     * A key that was just created.
     *
     * @param payload whether it sees payloads unmasked
     * @param key the key itself, shown this once
     * @param sources what it may publish; left out: any
     * @param types the same
     */
    record CreatedKey(
            String name,
            Role role,
            boolean payload,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> sources,
            @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> types,
            String key) {}

    @PostMapping(consumes = "application/json", produces = "application/json")
    @ResponseStatus(HttpStatus.CREATED)
    @Allowed(Role.ADMIN)
    @Operation(summary = "Creates an API key and shows it, this once")
    ResponseEntity<CreatedKey> create(@RequestBody NewKey wanted, Actor actor) {
        String name = checked(wanted.name());
        if (wanted.role() == null) {
            throw refused("role", "is missing; it is one of publisher, viewer, operator, admin");
        }
        Scope scope = new Scope(
                patterns("sources", wanted.role(), wanted.sources()), patterns("types", wanted.role(), wanted.types()));
        Caller owner = new Caller(name, wanted.role(), payload(wanted.role(), wanted.payload()), scope);
        String key = keys.create(owner, actor);
        return ResponseEntity.created(URI.create("/v1/keys/" + name))
                .body(new CreatedKey(name, wanted.role(), owner.seesPayloads(), scope.sources(), scope.types(), key));
    }

    private static boolean payload(Role role, @Nullable Boolean asked) {
        if (asked == null) {
            return role == Role.ADMIN;
        }
        if (asked && role == Role.PUBLISHER) {
            throw refused("payload", "is true, but a publisher sees no payloads at all; leave it out");
        }
        if (!asked && role == Role.ADMIN) {
            throw refused("payload", "is false, but an admin sees everything; leave it out, or give another role");
        }
        return asked;
    }

    private static List<String> patterns(String field, Role role, @Nullable List<String> asked) {
        if (asked == null || asked.isEmpty()) {
            return List.of();
        }
        if (role != Role.PUBLISHER) {
            throw refused(field, "is for publishers; leave it out, or give the role publisher");
        }
        if (asked.size() > MOST_PATTERNS) {
            throw refused(field, "has " + asked.size() + " patterns; the limit is " + MOST_PATTERNS);
        }
        for (int i = 0; i < asked.size(); i++) {
            String pattern = asked.get(i);
            if (pattern == null || !PATTERN.matcher(pattern).matches()) {
                throw refused(
                        field + "[" + i + "]",
                        "must have 1 to 255 visible ASCII characters; '*' stands for any characters");
            }
        }
        return asked;
    }

    private static String checked(@Nullable String name) {
        if (name == null || !NAME.matcher(name).matches()) {
            throw refused(
                    "name", "must have 1 to 100 letters, digits, dots, dashes or underscores, a letter or digit first");
        }
        return name;
    }

    @GetMapping(produces = "application/json")
    @Allowed(Role.ADMIN)
    @Operation(summary = "Lists the API keys, revoked ones too, without the keys themselves")
    Page<ApiKey> list(
            @RequestParam(defaultValue = Page.DEFAULT_LIMIT) String limit,
            @RequestParam(required = false) @Nullable String after) {
        int size = Page.limit(limit);
        String last = after == null ? "" : PageToken.parts(after, 1).get(0);
        List<ApiKey> rest = keys.all().stream()
                .filter(each -> each.name().compareTo(last) > 0)
                .toList();
        return Page.of(rest, size, each -> PageToken.of(each.name()));
    }

    @DeleteMapping("/{name}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @Allowed(Role.ADMIN)
    @Operation(summary = "Revokes an API key; it is worth nothing within a second, on every instance")
    void revoke(@PathVariable String name, Actor actor) {
        keys.revoke(name, actor);
    }

    private static RuntimeException refused(String field, String rule) {
        return Problem.violated(ProblemType.INVALID_REQUEST, Violation.of(field, rule))
                .asException();
    }
}
