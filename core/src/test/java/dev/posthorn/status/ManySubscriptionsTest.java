package dev.posthorn.status;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.TestDatabase;
import dev.posthorn.TroubleRows;
import dev.posthorn.log.SchemaName;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whoever looks asks for all subscriptions at once. */
class ManySubscriptionsTest {

    private final AtomicInteger statements = new AtomicInteger();
    private TestDatabase database;
    private TroubleRows rows;

    @BeforeEach
    void createDatabase() {
        database = TestDatabase.create();
        rows = new TroubleRows(database);
    }

    private void subscribe(int from, int to) {
        String start = rows.snapshot();
        for (int i = from; i < to; i++) {
            long id = rows.subscriptionAt("s" + i, start);
            database.execute(
                    "UPDATE posthorn.generation SET types = '{order.%d}' WHERE subscription_id = %d".formatted(i, id));
        }
    }

    @Test
    void threeHundredTakeAsManyStatementsAsThree() {
        UUID id = rows.id(rows.event("order.1", "k"));
        subscribe(0, 3);
        rows.event("order.2", "k");
        List<Integer> few = statementsOfEach(id);
        subscribe(3, 300);
        rows.event("order.200", "k");
        assertThat(statementsOfEach(id)).isEqualTo(few);
        assertThat(new Gauges(database.dataSource(), SchemaName.DEFAULT).all()).hasSize(300);
    }

    private List<Integer> statementsOfEach(UUID id) {
        DataSource counted = counted(database.dataSource());
        Gauges gauges = new Gauges(counted, SchemaName.DEFAULT);
        Lanes lanes = new Lanes(counted, SchemaName.DEFAULT);
        EventStatuses statuses = new EventStatuses(counted, SchemaName.DEFAULT);
        EventSearch search = new EventSearch(counted, SchemaName.DEFAULT);
        List<String> names = IntStream.range(0, 300).mapToObj(i -> "s" + i).toList();
        List<Runnable> looks = List.of(
                gauges::all,
                () -> gauges.page("", 300),
                lanes::counts,
                () -> lanes.of(names),
                () -> lanes.serving(names),
                () -> statuses.counts("", 300),
                () -> statuses.stuckSending(Duration.ofMinutes(30)),
                () -> statuses.averageLatencies(Duration.ofMinutes(5), 300),
                () -> statuses.of(id),
                () -> search.get(id, null));
        List<Integer> each = new ArrayList<>();
        looks.forEach(look -> {
            int before = statements.get();
            look.run();
            each.add(statements.get() - before);
        });
        assertThat(each).allMatch(count -> count > 0);
        return each;
    }

    private DataSource counted(DataSource dataSource) {
        return wrapped(DataSource.class, dataSource, method -> {});
    }

    /** What it gives out that makes statements is counted. */
    private <T> T wrapped(Class<T> type, T inner, Consumer<String> called) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            called.accept(method.getName());
            Object answer = method.invoke(inner, args);
            return answer instanceof Connection made ? wrapped(Connection.class, made, this::count) : answer;
        }));
    }

    private void count(String method) {
        if (method.startsWith("prepare") || method.equals("createStatement")) {
            statements.incrementAndGet();
        }
    }

    /** The figures are found from the end of the log, the view looks at each event: both must say the same. */
    @Test
    void whoeverWantsAnEventIsFoundByTheNameOfItsTypeOrByAPattern() {
        List<String> filters = List.of(
                "{order.paid}",
                "{order.%}",
                "{}",
                "{order\\\\_paid}",
                "{a,b,order.paid}",
                "{%.paid,order.paid}",
                "{other}");
        String start = rows.snapshot();
        for (int i = 0; i < filters.size(); i++) {
            long id = rows.subscriptionAt("s" + i, start);
            database.execute("UPDATE posthorn.generation SET types = '%s' WHERE subscription_id = %d"
                    .formatted(filters.get(i), id));
        }
        for (String type : List.of("order.paid", "order_paid", "orderXpaid", "order.shipped", "bill.paid", "b")) {
            rows.event(type, "k");
        }
        assertSameAsTheView("1 2 6 1 2 2 0");
        long inside = rows.event("order.paid", "k");
        rows.event("order.paid", "k");
        long moved = database.number("SELECT id FROM posthorn.subscription WHERE name = 's1'");
        rows.mark(moved, start, rows.snapshot(), inside);
        assertSameAsTheView("3 1 8 1 4 4 0");
        String now = rows.snapshot();
        rows.mark(moved, now, now, 0);
        rows.event("order.paid", "k");
        assertSameAsTheView("4 1 9 1 5 5 0");
    }

    @Test
    void whereManyWantEverythingEachIsCountedAlone() {
        String start = rows.snapshot();
        for (int i = 0; i < 300; i++) {
            rows.subscriptionAt("s" + i, start);
        }
        database.execute("INSERT INTO posthorn.event (id, source, type, version, content_type, payload, occurred_at)"
                + " SELECT gen_random_uuid(), 'test', 'order.paid', 1, 'a/b', '', now() FROM generate_series(1, 1400)");
        assertThat(new Gauges(database.dataSource(), SchemaName.DEFAULT).all())
                .hasSize(300)
                .allMatch(each ->
                        each.pending().value() >= 1_300 && each.pending().value() <= 1_500);
    }

    private void assertSameAsTheView(String pending) {
        List<Long> found = new Gauges(database.dataSource(), SchemaName.DEFAULT)
                .all().stream().map(each -> each.pending().value()).toList();
        assertThat(found.stream().map(String::valueOf).toList()).isEqualTo(List.of(pending.split(" ")));
        assertThat(database.value("SELECT string_agg((SELECT count(*) FROM posthorn.event_status e"
                        + " WHERE e.subscription = s.name AND e.status = 'PENDING')::text, ' ' ORDER BY s.name)"
                        + " FROM posthorn.subscription s"))
                .isEqualTo(pending);
    }
}
