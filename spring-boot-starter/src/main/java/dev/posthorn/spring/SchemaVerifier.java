package dev.posthorn.spring;

import dev.posthorn.log.Schema;
import org.springframework.beans.factory.InitializingBean;

/** Refuses to start an application whose tables somebody else should have installed and has not. */
final class SchemaVerifier implements InitializingBean {

    private final DataSources dataSources;
    private final Schema schema;

    SchemaVerifier(DataSources dataSources, Schema schema) {
        this.dataSources = dataSources;
        this.schema = schema;
    }

    @Override
    public void afterPropertiesSet() {
        schema.verify(dataSources.ofOutbox());
    }
}
