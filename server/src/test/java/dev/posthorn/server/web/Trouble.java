package dev.posthorn.server.web;

import dev.posthorn.server.access.Allowed;
import dev.posthorn.server.access.Role;
import dev.posthorn.server.problem.Problem;
import dev.posthorn.server.problem.ProblemType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Calls that go wrong in every way, for tests that ask for them with {@code test.trouble=true}. */
@RestController
@ConditionalOnProperty("test.trouble")
class Trouble {

    record Thing(String name, Integer size, Thing inner, List<Thing> more) {}

    record Query(String colour, Integer weight) {}

    @GetMapping("/v1/test/bug")
    @Allowed(Role.VIEWER)
    String bug() {
        throw new IllegalStateException("a secret from the depths of dev.posthorn.server");
    }

    @GetMapping("/v1/test/problem/{type}")
    @Allowed(Role.VIEWER)
    String problem(@PathVariable ProblemType type) {
        throw new Problem(type, "as you wished", List.of(), Duration.ofMillis(1500)).asException();
    }

    @GetMapping("/v1/test/number")
    @Allowed(Role.VIEWER)
    Map<String, Integer> number(@RequestParam int number, Query query) {
        return Map.of("number", number);
    }

    @GetMapping("/v1/test/header")
    @Allowed(Role.VIEWER)
    String header(@RequestHeader("X-Needed") String needed) {
        return needed;
    }

    @PostMapping(path = "/v1/test/things", consumes = "application/json", produces = "application/json")
    @Allowed(Role.PUBLISHER)
    Thing thing(@RequestBody Thing thing) {
        return thing;
    }

    @PostMapping("/v1/test/bytes")
    @Allowed(Role.PUBLISHER)
    Map<String, Integer> bytes(@RequestBody byte[] bytes) {
        return Map.of("length", bytes.length);
    }

    @GetMapping("/v1/test/nobody")
    String nobody() {
        return "nobody said who may";
    }
}
