using NUnit.Framework;

namespace VectorPipe.Tests.Collections.Checkpoints;

/// <summary>Other processes that read keep what they have opened, whatever checkpoints write.</summary>
[TestFixture]
public sealed class CheckpointReadersTests
{
    private const int Count = 1100;
    private const int Keys = 1600;
    private const int Writes = 200;

    private static readonly CollectionOptions _readOnly = ChangingCollection.Options with { ReadOnly = true };

    [Test]
    public async Task Another_process_that_reads_keeps_its_snapshot_and_nothing_of_it_is_overwritten()
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(7, Count);
        await model.CheckpointAsync(Writes, Keys);
        await model.ChurnAsync(20, Keys);
        var records = new Dictionary<int, byte[]>(model.Records);
        await using (VectorCollection<int> reader = await ChangingCollection.OpenOtherAsync(model.Directory, _readOnly))
        {
            for (int i = 0; i < 3; i++)
            {
                int free = model.Places.Free;
                await model.CheckpointAsync(Writes, Keys);
                await model.CheckAsync(reader, records, $"the reader after {i + 1} checkpoints");
            }

            // The next writer does not know the places that its predecessor has given up since the reader opened.
            await model.OpenAsync();
            for (int i = 0; i < 2; i++)
            {
                await model.CheckpointAsync(Writes, Keys);
                await model.CheckAsync(reader, records, $"the reader after {i + 1} checkpoints of the next writer");
            }

            Assert.That(model.Places.Free, Is.EqualTo(0), "no place was freed");
        }

        await model.CheckpointAsync(Writes, Keys);
        await model.CheckpointAsync(Writes, Keys);
        Assert.That(model.Places.Free, Is.GreaterThan(0), "nobody reads any more");
        await model.CheckAsync("at the end");
    }

    [Test]
    public async Task A_reader_of_a_backup_keeps_its_snapshot_beside_the_first_writer()
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(8, Count);
        await model.CheckpointAsync(Writes, Keys);
        using var copied = new CollectionDirectory();
        await model.Collection.BackupAsync(copied.Path);
        var records = new Dictionary<int, byte[]>(model.Records);
        await using VectorCollection<int> reader = await ChangingCollection.OpenOtherAsync(copied.Path, _readOnly);
        await using ChangingCollection copy = new(9) { Directory = copied.Path };
        foreach ((int key, byte[] vector) in records)
            copy.Records.Add(key, vector);
        await copy.OpenAsync();
        for (int i = 0; i < 3; i++)
            await copy.CheckpointAsync(Writes, Keys);
        await model.CheckAsync(reader, records, "the reader");
    }
}
