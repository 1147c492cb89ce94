package dev.posthorn.relay.lane;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.audit.Actor;
import dev.posthorn.deadletter.Commands;
import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.deadletter.Discards;
import dev.posthorn.deadletter.Purges;
import dev.posthorn.log.SchemaName;
import dev.posthorn.relay.fixture.ReplayScenario;
import dev.posthorn.replay.ReplayRequest;
import dev.posthorn.replay.Replays;
import dev.posthorn.testing.SteppedRelay;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** A lane is told once a second to look for commands and replays; whoever asks in its process can tell it at once. */
class TendTest {

    private static final Actor ANN = Actor.named("ann");

    private final ReplayScenario scenario = new ReplayScenario();
    private final DataSource dataSource = scenario.instances.database.dataSource();

    /** It was just told, and is told again in a second; the steps that follow are a third of one. */
    private SteppedRelay justLooked() {
        SteppedRelay relay = scenario.startWithLetters(3, UnaryOperator.identity());
        relay.run(20);
        scenario.instances.clock.advance(Duration.ofSeconds(1));
        relay.run(2);
        return relay;
    }

    @Test
    void aLaneThatIsToldOfACommandDoesNotWaitForItsNextLook() {
        SteppedRelay relay = justLooked();
        Commands commands = new Commands(dataSource, SchemaName.DEFAULT, () -> {});
        long untold = commands.discard(1, ANN, "x").id();
        relay.run(3);
        assertThat(commands.answer(untold)).as("nobody told it").isEmpty();
        Commands telling =
                new Commands(dataSource, SchemaName.DEFAULT, () -> relay.lanes().forEach(Lane::tend));
        long told = telling.discard(2, ANN, "x").id();
        // It gets off its front first.
        relay.run(5);
        assertThat(commands.answer(told)).isPresent();
        assertThat(commands.answer(untold)).isPresent();
    }

    @Test
    void aLaneThatIsToldOfAReplayDoesNotWaitForItsNextLook() {
        SteppedRelay relay = justLooked();
        ReplayRequest request = ReplayRequest.ofDeadLetter(1).build();
        new Replays(dataSource, SchemaName.DEFAULT).start(request, ANN);
        int sent = scenario.sink.receivedSeqs().size();
        relay.run(3);
        assertThat(scenario.sink.receivedSeqs()).as("nobody told it").hasSize(sent);
        relay.lanes().forEach(Lane::tend);
        relay.run(3);
        assertThat(scenario.sink.receivedSeqs()).hasSize(sent + 1);
    }

    @Test
    void whoeverIsToBeToldIsToldOnceItIsCommitted() {
        justLooked();
        List<Long> told = new ArrayList<>();
        Runnable asked = () -> told.add(scenario.instances.database.number(
                "SELECT (SELECT count(*) FROM posthorn.command) + (SELECT count(*) FROM posthorn.replay)"
                        + " + (SELECT count(*) FROM posthorn.replay WHERE state = 'CANCELLED')"));
        new Discards(dataSource, SchemaName.DEFAULT, asked)
                .discard(DeadLetterQuery.builder().id(1).build(), ANN, "x");
        new Purges(dataSource, SchemaName.DEFAULT, asked)
                .purge(DeadLetterQuery.builder().id(2).build(), ANN, "x");
        Replays replays = new Replays(dataSource, SchemaName.DEFAULT, asked);
        long replay = replays.start(ReplayRequest.ofDeadLetter(3).build(), ANN).id();
        replays.cancel(replay, null, ANN);
        assertThat(told).containsExactly(1L, 2L, 3L, 4L);
    }
}
