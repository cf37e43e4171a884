using NUnit.Framework;
using VectorPipe.Searching.Filtering;
using VectorPipe.Searching.Pools;
using VectorPipe.Searching.State;

namespace VectorPipe.Tests.Collections.Checkpoints;

/// <summary>Searches with two filters by slot, of which each live node matches one, find every record once.</summary>
internal static class FilteredHalves
{
    public static async Task CheckAsync(
        VectorIndex index, GraphChanges changes, Dictionary<int, byte[]> records, byte[] query, string when)
    {
        SearchOptions[] options =
        [
            new() { Mode = SearchMode.Exact }, new() { Graph = new GraphSearch { ListSize = records.Count + 1 } },
        ];
        index.Contents.PrepareFilters(default);
        foreach (SearchOptions option in options)
        {
            var found = new List<int>();
            for (uint half = 0; half < 2; half++)
            {
                var bits = new ulong[(changes.NodeCount + 63) / 64];
                for (uint id = 0; id < changes.NodeCount; id++)
                    bits[id / 64] |= changes.IsLive(id) && id % 2 == half ? 1ul << (int)(id % 64) : 0;
                var admission = new Admission(null, MatchSet.Of(bits, changes.Live));
                SearchResult result = await index.SearchAsync(query, records.Count + 1, option, admission, changes, null, default);
                Assert.That(result.Statistics.EndedBy, Is.EqualTo(SearchEnd.AllMatches), when);
                foreach (SearchHit hit in result)
                    Assert.That(ChangingCollection.Distance(records[(int)hit.Key], query), Is.EqualTo(hit.Score), when);
                found.AddRange(result.Select(hit => (int)hit.Key));
            }

            Assert.That(found.Order(), Is.EqualTo(records.Keys.Order()), $"{when}, by halves, {option.Mode}");
        }
    }
}
