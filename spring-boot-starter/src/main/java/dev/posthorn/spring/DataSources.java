package dev.posthorn.spring;

import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;

/** The application's data sources, of which Posthorn uses one to record and one, usually the same, to deliver from. */
final class DataSources {

    private final ListableBeanFactory beans;
    private final PosthornProperties properties;

    DataSources(ListableBeanFactory beans, PosthornProperties properties) {
        this.beans = beans;
        this.properties = properties;
    }

    DataSource ofOutbox() {
        return choose("posthorn.data-source", properties.dataSource());
    }

    DataSource ofRelay() {
        String own = properties.relay().dataSource();
        return own == null ? ofOutbox() : choose("posthorn.relay.data-source", own);
    }

    private DataSource choose(String property, @Nullable String name) {
        return name == null ? onlyOne(property) : named(property, name);
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
