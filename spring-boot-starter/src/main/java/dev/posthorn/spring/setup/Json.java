package dev.posthorn.spring.setup;

import java.util.function.Supplier;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;
import tools.jackson.databind.json.JsonMapper;

/** The application's JSON mapper. */
public final class Json {

    private Json() {}

    /** Asked for when something is to be read or written: an application with several need not choose if nobody does. */
    public static Supplier<JsonMapper> of(ObjectProvider<JsonMapper> mappers) {
        return SingletonSupplier.of(() -> only(mappers));
    }

    private static JsonMapper only(ObjectProvider<JsonMapper> mappers) {
        try {
            return mappers.getIfAvailable(JsonMapper::shared);
        } catch (NoUniqueBeanDefinitionException e) {
            throw new SetupException(
                    "There are several JsonMapper beans, " + e.getBeanNamesFound()
                            + ", and nothing says which one payloads are written and read with",
                    "Mark it @Primary",
                    e);
        }
    }
}
