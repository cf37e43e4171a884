using VectorPipe.Searching.Pools;

namespace VectorPipe.Tests.Searching.Policies;

/// <summary>Random frontiers.</summary>
internal static class FrontierCases
{
    public const int NodesPerPage = 12;

    public static Frontier Draw(Random random)
    {
        var frontier = new Frontier(NodesPerPage);
        int k = random.Next(1, 12);
        frontier.Reset(
            k, random.Next(k, 200), new DistanceModel(0.5f + random.NextSingle(), 0.2f + 2 * random.NextSingle(), random.Next(2) * 50));
        int pages = random.Next(1, 40);
        var used = new HashSet<uint>();
        for (int i = random.Next(0, 300); i > 0; i--)
        {
            uint id = (uint)random.Next(pages * NodesPerPage);
            if (used.Add(id))
                frontier.Candidates.Insert(
                    30 + 200 * random.NextSingle(), id, random.Next(3) == 0 ? (CandidateState)random.Next(4) : CandidateState.Unvisited);
        }

        for (int i = random.Next(0, 20); i > 0; i--)
            frontier.Results.Insert(30 + 200 * random.NextSingle(), (ulong)i);
        return frontier;
    }

    public static IEnumerable<int> Ranks(Frontier frontier) => Enumerable.Range(0, frontier.Candidates.Count);

    /// <summary>Pages of unvisited candidates.</summary>
    public static IEnumerable<int> Unvisited(Frontier frontier) =>
        Ranks(frontier).Where(rank => frontier.Candidates.State(rank) == CandidateState.Unvisited);

    public static float Kth(Frontier frontier) =>
        Enumerable.Range(0, frontier.Results.Count).Select(frontier.Results.Distance)
            .Concat(Ranks(frontier).Where(rank => frontier.Candidates.State(rank) != CandidateState.Visited).Select(frontier.Expected))
            .Order().Skip(frontier.K - 1).FirstOrDefault(float.PositiveInfinity);
}
