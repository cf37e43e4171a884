namespace VectorPipe.Building.Graphs;

/// <summary>Results and repairs of a graph build.</summary>
internal sealed class GraphReport
{
    /// <summary>Points that were reachable from the entry before repair.</summary>
    public int ReachableBeforeRepair { get; set; }

    /// <summary>Points that are reachable from the entry; all of them after a complete build.</summary>
    public int Reachable { get; set; }

    /// <summary>Links that repair of reachability added.</summary>
    public int LinksAdded { get; set; }

    /// <summary>Mean out-degree.</summary>
    public double MeanDegree { get; set; }

    /// <summary>Points of a sample that the check searched for.</summary>
    public int Checked { get; set; }

    /// <summary>Points of the sample of which a search with L = 10 found the point or a copy.</summary>
    public int FoundThemselves { get; set; }

    /// <summary>The share of <see cref="Checked"/> that was found, 0 to 1.</summary>
    public double FoundShare => Checked == 0 ? 0 : (double)FoundThemselves / Checked;

    /// <summary>Distances computed, about.</summary>
    public long Distances { get; set; }
}
