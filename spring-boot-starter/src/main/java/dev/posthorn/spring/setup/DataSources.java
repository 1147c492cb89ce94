package dev.posthorn.spring.setup;

import dev.posthorn.error.PosthornException;
import dev.posthorn.spring.settings.PosthornProperties;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** The application's data sources, of which Posthorn uses one to record and one, usually the same, to deliver from. */
public final class DataSources {

    private static final String WHICH = """
            SELECT pg_postmaster_start_time() || ' ' || oid FROM pg_database WHERE datname = current_database()
            """;

    private final ListableBeanFactory beans;
    private final PosthornProperties properties;

    DataSources(ListableBeanFactory beans, PosthornProperties properties) {
        this.beans = beans;
        this.properties = properties;
    }

    /** Where events are recorded, and listeners have their inbox entries. */
    public DataSource ofOutbox() {
        return choose("posthorn.data-source", properties.dataSource());
    }

    /** Where the relay delivers from: normally the same. */
    public DataSource ofRelay() {
        String own = properties.relay().dataSource();
        return own == null ? ofOutbox() : choose("posthorn.relay.data-source", own);
    }

    /** For the relay of listeners, which belongs where they have their effects and their inbox entries. */
    public DataSource ofListenersRelay() {
        return isRelayElsewhere() ? ofOutbox() : ofRelay();
    }

    /** Whether the relay delivers from another database, and not only by another way to the same one. */
    public boolean isRelayElsewhere() {
        return properties.relay().dataSource() != null && !database(ofRelay()).equals(database(ofOutbox()));
    }

    /** Its server, by the moment when that was started, and its number there. */
    private static String database(DataSource dataSource) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(WHICH)) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw PosthornException.database("looking which database a data source is of", e);
        }
    }

    private DataSource choose(String property, @Nullable String name) {
        return unwrapped(name == null ? onlyOne(property) : named(property, name));
    }

    /** As transaction managers do it: their transactions are those of what is behind the proxy. */
    private static DataSource unwrapped(DataSource dataSource) {
        DataSource target =
                dataSource instanceof TransactionAwareDataSourceProxy proxy ? proxy.getTargetDataSource() : null;
        return target == null ? dataSource : unwrapped(target);
    }

    private DataSource named(String property, String name) {
        List<String> names = names();
        if (!names.contains(name)) {
            throw new SetupException(
                    property + " names '" + name + "', but there is no data source of that name",
                    "Set it to one of " + names);
        }
        return beans.getBean(name, DataSource.class);
    }

    private DataSource onlyOne(String property) {
        try {
            return beans.getBean(DataSource.class);
        } catch (NoUniqueBeanDefinitionException e) {
            throw new SetupException(
                    "There are " + names().size() + " data sources, " + names()
                            + ", and nothing says which one events are recorded in",
                    "Set " + property
                            + " to the name of the one that your business data is in, or mark that one @Primary",
                    e);
        }
    }

    private List<String> names() {
        return List.of(beans.getBeanNamesForType(DataSource.class));
    }
}
