package dev.posthorn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.posthorn.testkit.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class ClassPathTest {

    @Test
    void anApplicationThatOnlyRecordsNeedsCoreSlf4jAndTheDriver(@TempDir Path folder) throws Exception {
        TestDatabase database = TestDatabase.create();
        String classFile = "dev/posthorn/RecordOneEvent.class";
        Path application = folder.resolve(classFile);
        Files.createDirectories(application.getParent());
        Files.copy(ChildJvm.homeOf(RecordOneEvent.class).resolve(classFile), application);

        ChildJvm.Result result = ChildJvm.run(
                List.of(
                        folder,
                        ChildJvm.homeOf(Outbox.class),
                        ChildJvm.homeOf(LoggerFactory.class),
                        ChildJvm.homeOf(org.postgresql.Driver.class)),
                RecordOneEvent.class.getName(),
                database.jdbcUrl(),
                database.user(),
                database.password());

        assertThat(result.exitCode()).as(result.err()).isZero();
        assertThat(database.value("SELECT string_agg(source || ' ' || key, ',') FROM posthorn.event"))
                .isEqualTo("small-application order-7");
    }
}
