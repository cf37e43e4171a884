namespace VectorPipe.Model.Build;

/// <summary>Marks a list of phases that replaces the one of the options; Building, a higher floor, defines it.</summary>
internal interface IBuildSeam;
