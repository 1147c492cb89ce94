package dev.posthorn.spring.outbox;

import static dev.posthorn.spring.shop.Shop.event;
import static dev.posthorn.spring.shop.Shop.outbox;
import static dev.posthorn.spring.shop.Shop.transaction;
import static dev.posthorn.spring.shop.Shop.types;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.spring.NoTransactionException;
import dev.posthorn.spring.shop.Parcel;
import dev.posthorn.spring.shop.Parcels;
import dev.posthorn.spring.shop.Shop;
import dev.posthorn.spring.shop.TestServer;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** A transaction of another data source, and the outbox's around it, in it or beside it. */
class ForeignTransactionTest {

    private static final TransactionTemplate OTHER = other();

    private final String key = UUID.randomUUID().toString();

    private static TransactionTemplate other() {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setUrl(TestServer.database());
        return new TransactionTemplate(WatchedManagers.watched(new JdbcTransactionManager(dataSource)));
    }

    private void record(String type) {
        outbox().record(event(type, key));
    }

    /** It was written with the inner commit, before what the outer one had recorded earlier, or without the inner change. */
    @Test
    void insideOneOfTheOutboxsRecordingIsRefused() {
        transaction().executeWithoutResult(outer -> {
            record("first");
            OTHER.executeWithoutResult(inner -> assertThatThrownBy(() -> record("never"))
                    .isInstanceOf(NoTransactionException.class)
                    .hasMessageContaining("another data source, inside one of the outbox's")
                    .hasMessageContaining("before or after the inner transaction"));
            record("second");
        });

        assertThat(types(key)).containsExactly("first", "second");
    }

    @Test
    void aroundOneOfTheOutboxsItIsNoHindrance() {
        OTHER.executeWithoutResult(outer -> {
            transaction().executeWithoutResult(inner -> record("first"));
            assertThat(types(key)).containsExactly("first");
            assertThatThrownBy(() -> record("never")).hasMessageContaining("another data source than the outbox's");
        });

        assertThat(types(key)).containsExactly("first");
    }

    @Test
    void betweenTwoOfTheOutboxsEachHasItsOwn() {
        transaction().executeWithoutResult(outer -> {
            record("last");
            OTHER.executeWithoutResult(middle -> transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                    .executeWithoutResult(inner -> record("first")));
        });

        assertThat(types(key)).containsExactly("first", "last");
    }

    /** The outer one's entity manager was flushed by the inner commit. */
    @Test
    void itsCommitLeavesWhatTheOuterOneHasChangedAlone() {
        transaction().executeWithoutResult(status -> Shop.bean(Parcels.class).save(new Parcel(key)));
        Parcel.told(
                Parcel.Moment.PRE_UPDATE,
                () -> record("changed"),
                () -> transaction().executeWithoutResult(outer -> {
                    Parcel.Moment.PRE_UPDATE.bringAbout(Shop.bean(Parcels.class), key);
                    OTHER.executeWithoutResult(inner -> {});
                }));

        assertThat(types(key)).containsExactly("changed");
    }

    @Test
    void ofAManagerThatIsNoBeanRecordingIsRefusedBecauseItsCommitIsNotSeen() {
        TransactionTemplate unseen = new TransactionTemplate(new JdbcTransactionManager(Shop.bean(DataSource.class)));

        assertThatThrownBy(() -> unseen.executeWithoutResult(status -> record("never")))
                .isInstanceOf(NoTransactionException.class)
                .hasMessageContaining("whose commit Posthorn does not see")
                .hasMessageContaining("transaction manager a bean");
    }
}
