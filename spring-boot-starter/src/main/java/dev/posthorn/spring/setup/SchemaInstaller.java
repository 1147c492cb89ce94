package dev.posthorn.spring.setup;

import dev.posthorn.log.Schema;
import org.springframework.beans.factory.InitializingBean;

/** Installs or upgrades Posthorn's tables before anything uses the database. */
final class SchemaInstaller implements InitializingBean {

    private final DataSources dataSources;
    private final Schema schema;

    SchemaInstaller(DataSources dataSources, Schema schema) {
        this.dataSources = dataSources;
        this.schema = schema;
    }

    @Override
    public void afterPropertiesSet() {
        schema.install(dataSources.ofOutbox());
    }
}
