using NUnit.Framework;
using VectorPipe.Searching.Filtering;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.State;

namespace VectorPipe.Tests.Collections.Checkpoints;

/// <summary>Cells are those of the build: matches that checkpoints added lie in free slots of their pages, or in none.</summary>
[TestFixture]
public sealed class FilteredCellsTests
{
    private const int Count = 4000;
    private const int Added = 250;
    private const int K = 10;

    [Test]
    [Category("Heavy")]
    public async Task Matches_within_the_cells_and_beyond_them_are_found()
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(seed: 5, Count);

        // All near one place, whose pages become full.
        byte[] centre = model.Next();
        var random = new Random(7);
        for (int checkpoint = 1; checkpoint <= 2; checkpoint++)
        {
            WriteBatch<int> batch = model.Collection.CreateBatch();
            for (int key = checkpoint * Count; key < (checkpoint * Count) + Added; key++)
            {
                model.Records[key] = [.. centre.Select(component => (byte)Math.Clamp(component + random.Next(-6, 7), 0, 255))];
                batch.Upsert(key, model.Records[key]);
            }

            await model.Collection.WriteAsync(batch);
            await model.SettleAsync();
        }

        await model.CheckpointAsync(writes: 240, keys: 3 * Count);
        Assert.That(model.Checkpoint, Is.EqualTo(3));
        VectorIndex index = model.View.Generation!.Index;
        long memoryBytes = model.Collection.Status.MemoryBytes;
        index.Contents.PrepareFilters(default);
        Assert.That(model.Collection.Status.MemoryBytes - memoryBytes, Is.EqualTo(model.Graph.Cells!.MemoryBytes), "cells are counted");
        uint end = model.Graph.Cells.EndId;
        Assert.That(model.Changes.NodeCount, Is.GreaterThan(end), "nodes lie beyond the cells");
        (int Key, uint Id)[] matches = [.. NodesOf(index, model.Records.Keys).Where(node => node.Id % 2 == 0)];
        MatchSet set = SetOf(model.Changes, matches.Select(node => node.Id));
        Assert.That(set.IsListed, Is.False, "cells are used");

        (int Key, uint Id)[] beyond = [.. matches.Where(node => node.Id >= end)];
        Assert.That(beyond, Is.Not.Empty);
        await CheckAsync(model, set, matches, beyond.Take(20), "beyond the cells");
        await CheckAsync(model, set, matches, matches.Where((_, i) => i % 100 == 0), "anywhere");
    }

    private static async Task CheckAsync(
        ChangingCollection model, MatchSet set, (int Key, uint Id)[] matches, IEnumerable<(int Key, uint Id)> queries, string where)
    {
        var walk = new SearchOptions { Graph = new GraphSearch(), TargetRecall = 0.99f };
        HashSet<ulong> keys = [.. matches.Select(node => (ulong)node.Key)];
        int found = 0, wanted = 0;
        foreach ((int key, _) in queries)
        {
            byte[] query = model.Records[key];
            float[] nearest = [.. matches.Select(node => ChangingCollection.Distance(model.Records[node.Key], query)).Order().Take(K)];
            SearchResult hits = await model.View.Generation!.Index
                .SearchAsync(query, K, walk, new Admission(null, set), model.Changes, null, default);
            Assert.That(hits.Statistics.Strategy, Is.EqualTo(FilterStrategy.Cells), where);
            Assert.That(hits.Statistics.Matches, Is.EqualTo(matches.Length), where);
            Assert.That(hits.Select(hit => hit.Key), Is.Unique.And.SubsetOf(keys), where);
            found += hits.Count(hit => hit.Score <= nearest[^1]);
            wanted += K;
        }

        Assert.That(found / (double)wanted, Is.GreaterThanOrEqualTo(0.9), $"{where}: recall");
    }

    private static (int Key, uint Id)[] NodesOf(VectorIndex index, IEnumerable<int> records)
    {
        int[] keys = [.. records.Order()];
        var nodes = new uint?[keys.Length];
        using SearchSession session = index.OpenLookupSession();
        session.FindNodes([.. keys.Select(key => (ulong)key)], nodes, failed: null, default);
        return [.. keys.Zip(nodes, (key, node) => (key, node!.Value))];
    }

    private static MatchSet SetOf(GraphChanges changes, IEnumerable<uint> ids)
    {
        var bits = new ulong[(changes.NodeCount + 63) / 64];
        foreach (uint id in ids)
            bits[id / 64] |= 1ul << (int)(id % 64);
        return MatchSet.Of(bits, changes.Live);
    }
}
