using NUnit.Framework;
using VectorPipe.Collections.Generations;
using VectorPipe.Searching.State;

namespace VectorPipe.Tests.Collections.Checkpoints;

/// <summary>Checkpoints keep in memory what searches need, and the status counts all of it.</summary>
[TestFixture]
public sealed class CheckpointMemoryTests
{
    private static readonly SearchOptions _walk = new() { Graph = new GraphSearch { ListSize = 100 }, Mode = SearchMode.Beam };

    [Test]
    public async Task The_page_graph_of_the_build_is_freed_when_a_checkpoint_has_its_own()
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(41, 1100);
        CollectionGeneration generation = model.View.Generation!;
        IndexInfo info = generation.Index.Info;
        Assert.That(generation.MemoryBytes, Is.EqualTo(info.MemoryBytes));
        Assert.That(model.Graph.PageGraph!.MemoryBytes, Is.EqualTo(info.PageGraphMemoryBytes));
        await model.CheckpointAsync(200, 1600);
        AssertReleased(model);
        await model.CheckpointAsync(200, 1600);
        await model.CheckAsync("after two checkpoints");
        await model.OpenAsync();
        AssertReleased(model);
        await model.CheckAsync("opened again");
        await model.CheckpointAsync(200, 1600);
        await model.CheckAsync("a checkpoint after that");
    }

    [Test]
    public async Task A_reader_of_an_older_view_keeps_the_page_graph_of_the_build()
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(42, 1100);
        CollectionGeneration generation = model.View.Generation!;
        byte[][] queries = [.. Enumerable.Range(0, 20).Select(_ => model.Next())];
        ViewLease first = model.Collection.Store.State.Lease();
        ViewLease second = model.Collection.Store.State.Lease();
        ulong[][] expected = await SearchAsync(first.View, queries);
        for (int i = 0; i < 2; i++)
        {
            await model.CheckpointAsync(200, 1600);
            Assert.That(model.Graph.PageGraph!.IsReleased, Is.False, "two leases");
            Assert.That(generation.MemoryBytes, Is.EqualTo(generation.Index.Info.MemoryBytes));
            Assert.That(await SearchAsync(first.View, queries), Is.EqualTo(expected), "the view finds what it found");
        }

        first.Dispose();
        Assert.That(model.Graph.PageGraph!.IsReleased, Is.False, "one lease");
        Assert.That(await SearchAsync(second.View, queries), Is.EqualTo(expected), "the view finds what it found");
        second.Dispose();
        AssertReleased(model);
    }

    [Test]
    public async Task A_rebuild_of_an_older_view_and_the_end_free_it_once()
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(43, 1100);
        using (ViewLease lease = model.Collection.Store.State.Lease())
        {
            await model.CheckpointAsync(200, 1600);
            PageGraph built = model.Graph.PageGraph!;
            Assert.That(await model.Collection.CompactAsync());
            Assert.That(built.IsReleased, Is.False, "the lease is of the generation before");
            Assert.That(model.Graph.PageGraph!.IsReleased, Is.False, "no checkpoint has changed the new one");
        }

        await model.CheckAsync("after the rebuild");
        await model.CheckpointAsync(200, 1600);
        AssertReleased(model);
    }

    [Test]
    public async Task The_changes_that_were_read_when_it_was_opened_end_with_the_next_checkpoint()
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(45, 1100);
        await model.CheckpointAsync(200, 1600);
        await model.OpenAsync();
        CollectionGeneration generation = model.View.Generation!;
        Assert.That(generation.Latest, Is.SameAs(model.View.Content));
        await model.CheckpointAsync(200, 1600);
        Assert.That(model.View.Generation, Is.SameAs(generation));
        Assert.That(generation.Latest, Is.SameAs(model.View.Content), "the generation has the changes in force, and no others");
    }

    [Test]
    public async Task Pages_that_may_be_added_take_little_room()
    {
        await using ChangingCollection model = await ChangingCollection.BuildAsync(44, 1100);
        long pages = model.Graph.NodePages;
        for (int i = 0, next = 2000; i < 4; i++, next += 250)
        {
            await model.UpsertAsync(Enumerable.Range(next, 250));
            await model.SettleAsync();
            GraphChanges changes = model.Changes;
            Assert.That(changes.Places.Length - changes.Pages, Is.InRange(0, 16 + (changes.Pages / 64)));
            Assert.That(changes.PageGraph.MemoryBytes, Is.InRange(
                (long)changes.Pages * changes.PageGraph.BlockBytes, ((long)changes.Places.Length * changes.PageGraph.BlockBytes) + 64));
        }

        Assert.That(model.Changes.Pages, Is.GreaterThan(pages + 16), "room was made more than once");
        await model.CheckAsync("after insertions");
    }

    // The old links are freed, and the new ones counted.
    private static void AssertReleased(ChangingCollection model)
    {
        CollectionGeneration generation = model.View.Generation!;
        IndexInfo info = generation.Index.Info;
        Assert.That(model.Graph.PageGraph!.IsReleased, "nobody needs the page graph of the build");
        Assert.That(model.Graph.PageGraph!.MemoryBytes, Is.Zero);
        Assert.That(generation.MemoryBytes, Is.EqualTo(info.MemoryBytes - info.PageGraphMemoryBytes));
        GraphChanges changes = model.Changes;
        long tables = changes.PageGraph.MemoryBytes + changes.Slots.MemoryBytes + (changes.Places.Length * 16L);
        CollectionStatus status = model.Collection.Status;
        long least = generation.MemoryBytes + tables + model.Places.MemoryBytes + status.WaitingBytes;
        Assert.That(status.MemoryBytes, Is.GreaterThanOrEqualTo(least));
    }

    private static async Task<ulong[][]> SearchAsync(CollectionView view, byte[][] queries)
    {
        ulong[][] found = new ulong[queries.Length][];
        for (int i = 0; i < queries.Length; i++)
        {
            SearchResult result =
                await view.Generation!.Index.SearchAsync(queries[i], 10, _walk, default, view.Changes, null, default);
            found[i] = [.. result.Select(hit => hit.Key)];
        }

        return found;
    }
}
